import type { Hex } from '../../core/ports.ts';
import type { Queryable, Tx } from '../../db/database.ts';

/** The fields of a move that are needed when its transfer is found on the chain. */
export interface KnownMove {
  readonly moveId: string;
  readonly purpose: 'send' | 'settlement';
  readonly walletId: string;
  readonly toWallet: string | null;
  /** The send that this settlement funds just in time. */
  readonly funds: string | null;
  readonly settlementId: string | null;
  readonly amount: bigint;
  readonly state: 'open' | 'done' | 'dead';
}

/** Columns of `m`, a row of `coin_moves`. */
export const MOVE_COLUMNS = `m.move_id AS "moveId", m.purpose, m.wallet_id AS "walletId", m.to_wallet AS "toWallet", m.funds,
  m.settlement_id AS "settlementId", m.amount, m.state`;

interface NewMove {
  readonly moveId: string;
  readonly assetId: number;
  readonly from: MoveWallet;
  readonly toAddress: string;
  readonly amount: bigint;
  readonly reserved: bigint;
  readonly settlement?: { readonly settlementId: string; readonly toWallet: string; readonly funds?: string };
  /** For a move that is recorded after the fact: what the chain did with it. */
  readonly ended?: { readonly state: 'done' | 'dead'; readonly txHash: Hex; readonly blockNumber: bigint };
}

/** A wallet that coins move out of. */
interface MoveWallet {
  readonly walletId: string;
  readonly address: string;
  readonly rail: string;
}

/** Inserts the move and reserves its coins. PostgreSQL refuses it if the wallet has too few free coins. */
export async function insertMove(tx: Tx, one: NewMove): Promise<void> {
  await tx.query(
    `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, settlement_id, to_wallet, funds, rail, from_address,
       to_address, amount, reserved, state, tx_hash, block_number, started_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
       CASE WHEN $13 <> 'open' THEN clock_timestamp() END)`,
    [
      one.moveId,
      one.assetId,
      one.from.walletId,
      one.settlement ? 'settlement' : 'send',
      one.settlement?.settlementId ?? null,
      one.settlement?.toWallet ?? null,
      one.settlement?.funds ?? null,
      one.from.rail,
      one.from.address,
      one.toAddress,
      one.amount,
      one.reserved,
      one.ended?.state ?? 'open',
      one.ended?.txHash ?? null,
      one.ended?.blockNumber ?? null,
    ],
  );
}

/**
 * Returns the wallets by id. `railNames` maps each provider to the rail of its wallets; wallets of other providers
 * cannot move coins.
 */
export async function readMoveWallets(
  db: Queryable,
  railNames: string,
  walletIds: readonly string[],
): Promise<Map<string, MoveWallet>> {
  const rows = await db.query<MoveWallet>(
    `SELECT wallet_id AS "walletId", address, coalesce($2::jsonb ->> provider, 'none') AS rail FROM wallets
      WHERE wallet_id = ANY ($1)`,
    [[...new Set(walletIds)], railNames],
  );
  return new Map(rows.map((row) => [row.walletId, row]));
}

/**
 * Completes each settlement whose last move has ended. A settlement with a dead move does not count as settled, and
 * neither do settlements that were planned while it was open, because they relied on it.
 */
export async function completeSettlements(tx: Tx, settlementIds: readonly (string | null)[]): Promise<void> {
  const ids = [...new Set(settlementIds.filter((id) => id !== null))];
  if (ids.length === 0) return;
  await tx.query(
    `UPDATE settlements s SET completed_at = date_trunc('milliseconds', clock_timestamp())
      WHERE settlement_id = ANY ($1) AND completed_at IS NULL AND NOT EXISTS (
        SELECT FROM coin_moves m WHERE m.settlement_id = s.settlement_id AND m.state = 'open')`,
    [ids],
  );
  await tx.query(
    `UPDATE settlements l SET covers_seq = NULL FROM settlements s
      WHERE s.settlement_id = ANY ($1) AND s.completed_at IS NOT NULL AND l.asset_id = s.asset_id
        AND l.covers_seq IS NOT NULL AND l.created_at >= s.created_at AND l.created_at <= s.completed_at
        AND EXISTS (SELECT FROM coin_moves m WHERE m.settlement_id = s.settlement_id AND m.state = 'dead')`,
    [ids],
  );
}
