import type { Tx } from '../../db/database.ts';

interface Holding {
  readonly walletId: string;
  readonly coins: bigint;
  readonly reserved: bigint;
}

/** Locks the wallets' rows in the order of their ids; a wallet that never held anything gets its row. */
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
  /** What the ledger owes the wallet's owner. */
  readonly ledger: bigint;
  /** Of settlements under way. */
  readonly incoming: bigint;
  readonly outgoing: bigint;
}

/** All wallets of an asset in one snapshot, with the ledger sequence that the snapshot covers. */
export async function readPositions(tx: Tx, assetId: number): Promise<{ seq: bigint; positions: Position[] }> {
  const rows = await tx.query<Omit<Position, 'walletId'> & { wallet_id: string; seq: bigint }>(
    `SELECT ledger_settled_seq() AS seq, p.* FROM wallet_positions($1) p ORDER BY wallet_id`,
    [assetId],
  );
  const positions = rows.map(({ wallet_id: walletId, ledger, coins, reserved, incoming, outgoing }) => ({
    walletId,
    ledger,
    coins,
    reserved,
    incoming,
    outgoing,
  }));
  return { seq: rows[0]?.seq ?? 0n, positions };
}

/** Coins that stay behind when everything under way has arrived, beyond what the owner is owed; negative: missing. */
export const surplusOf = (position: Position): bigint =>
  position.coins + position.incoming - position.outgoing - position.ledger;

export const freeOf = (holding: Holding): bigint => holding.coins - holding.reserved;
