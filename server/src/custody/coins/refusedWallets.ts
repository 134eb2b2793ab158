import type { Queryable, Tx } from '../../db/database.ts';

/** SQL: the coins of holding `h` are not available for planning, because moving them failed a short time ago. */
export const IS_REFUSED = '(h.refused_until IS NOT NULL AND h.refused_until > clock_timestamp())';

/**
 * Records that coins could not be moved from this wallet to another wallet of ours. The cause is this wallet: its
 * provider has frozen it, or it cannot pay gas. Other wallets are chosen for a minute, the next time for two, at most
 * for six hours. The caller locks the wallet.
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

/** The waiting time of some wallets has ended: sends that lack coins may use them again. */
export async function tryRefusedAgain(db: Queryable, assetId: number): Promise<void> {
  const free = await db.query<{ wallet_id: string }>(
    `UPDATE holdings SET refused_until = NULL
      WHERE asset_id = $1 AND refused_until <= clock_timestamp() RETURNING wallet_id`,
    [assetId],
  );
  if (free.length === 0) return;
  await db.query('SELECT wake_sends($1, $2)', [assetId, free.map((row) => row.wallet_id)]);
}
