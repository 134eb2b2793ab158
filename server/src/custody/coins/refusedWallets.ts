import type { Queryable, Tx } from '../../db/database.ts';

/** SQL: coins of holding `h` are not counted on, because they could not be moved a short time ago. */
export const IS_REFUSED = '(h.refused_until IS NOT NULL AND h.refused_until > clock_timestamp())';

/**
 * Coins could not be moved from one wallet of ours to another. It is the wallet that they are in: its provider has frozen it,
 * or it cannot pay gas. Others are chosen for a minute, the next time for two, at most for six hours. The wallet is locked.
 */
export async function noteRefusal(tx: Tx, assetId: number, walletId: string, reason: string): Promise<void> {
  await tx.query(
    `UPDATE holdings SET refusals = refusals + 1, refusal = left($3, 500),
            refused_until = clock_timestamp() + least(2 ^ least(refusals, 10), 360) * interval '1 minute'
      WHERE asset_id = $1 AND wallet_id = $2`,
    [assetId, walletId, reason],
  );
}

/** Coins have left these wallets again. */
export async function forgetRefusals(tx: Tx, assetId: number, walletIds: readonly string[]): Promise<void> {
  if (walletIds.length === 0) return;
  await tx.query(
    `UPDATE holdings SET refusals = 0, refusal = NULL, refused_until = NULL
      WHERE asset_id = $1 AND wallet_id = ANY ($2) AND refusals > 0`,
    [assetId, walletIds],
  );
}

/** The time of some is over: sends that lack coins may count on them again. */
export async function tryRefusedAgain(db: Queryable, assetId: number): Promise<void> {
  const free = await db.query<{ wallet_id: string }>(
    `UPDATE holdings SET refused_until = NULL
      WHERE asset_id = $1 AND refused_until <= clock_timestamp() RETURNING wallet_id`,
    [assetId],
  );
  if (free.length === 0) return;
  await db.query('SELECT wake_sends($1, $2)', [assetId, free.map((row) => row.wallet_id)]);
}
