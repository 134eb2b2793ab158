import type { Tx } from '../../db/database.ts';

interface Holding {
  readonly walletId: string;
  readonly coins: bigint;
  readonly reserved: bigint;
}

/** Locks the wallets' rows in the order of their ids. Creates the row of a wallet that has never held anything. */
export async function lockHoldings(
  tx: Tx,
  assetId: number,
  walletIds: readonly string[],
): Promise<Map<string, Holding>> {
  const ids = [...new Set(walletIds)].sort();
  await tx.query(
    `INSERT INTO holdings (asset_id, wallet_id) SELECT $1, id FROM unnest($2::uuid[]) AS id ORDER BY id
     ON CONFLICT DO NOTHING`,
    [assetId, ids],
  );
  const rows = await tx.query<{ wallet_id: string; coins: bigint; reserved: bigint }>(
    `SELECT wallet_id, coins, reserved FROM holdings WHERE asset_id = $1 AND wallet_id = ANY ($2)
      ORDER BY wallet_id FOR NO KEY UPDATE`,
    [assetId, ids],
  );
  return new Map(
    rows.map((row) => [row.wallet_id, { walletId: row.wallet_id, coins: row.coins, reserved: row.reserved }]),
  );
}

export interface Position extends Holding {
  /** The amount that the ledger owes the wallet's owner. */
  readonly ledger: bigint;
  /** Coins of settlements in progress. */
  readonly incoming: bigint;
  readonly outgoing: bigint;
}

/**
 * Returns the current positions of these wallets. The amounts owed are read from the ledger, not from the stored copy.
 */
export const readPositions = (tx: Tx, assetId: number, walletIds: readonly string[]): Promise<Position[]> =>
  tx.query<Position>(
    `SELECT h.wallet_id AS "walletId", o.ledger, h.coins, h.reserved, h.incoming, h.outgoing
       FROM owed_to($1, $2) o JOIN holdings h ON h.asset_id = $1 AND h.wallet_id = o.wallet_id ORDER BY h.wallet_id`,
    [assetId, walletIds],
  );

/** The coins beyond what the owner is owed, after everything in progress has arrived; negative: coins are missing. */
export const surplusOf = (position: Position): bigint =>
  position.coins + position.incoming - position.outgoing - position.ledger;

export const freeOf = (holding: Holding): bigint => holding.coins - holding.reserved;
