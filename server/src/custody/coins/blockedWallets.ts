import type { Hex } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';
import type { Network, NetworkAsset } from '../network.ts';

interface Asked {
  readonly walletId: string;
  readonly address: Hex;
}

interface Refusals {
  /** The token is paused: it moves no coins at all for now. */
  readonly isPaused: boolean;
  readonly blocked: ReadonlySet<string>;
}

/**
 * Asks the token which of these wallets it refuses, and stores the answer. No coins can leave or reach a blacklisted
 * wallet, so settlement and funding skip it instead of paying gas for a certain failure.
 */
export async function askToken(
  db: Queryable,
  { chain }: Network,
  asset: NetworkAsset,
  wallets: readonly Asked[],
): Promise<Refusals> {
  const { isPaused, blacklisted } = await chain.readRefusals(
    asset.contract,
    wallets.map((one) => one.address),
  );
  const blocked = new Set(wallets.filter((_, i) => blacklisted[i]).map((one) => one.walletId));
  const rest = wallets.map((one) => one.walletId).filter((id) => !blocked.has(id));
  if (blocked.size > 0) {
    await db.query(
      `UPDATE holdings SET blocked_at = coalesce(blocked_at, clock_timestamp()), asked_at = clock_timestamp()
        WHERE asset_id = $1 AND wallet_id = ANY ($2)`,
      [asset.assetId, [...blocked]],
    );
  }
  const free = await db.query<{ wallet_id: string }>(
    `UPDATE holdings SET blocked_at = NULL, asked_at = clock_timestamp()
      WHERE asset_id = $1 AND wallet_id = ANY ($2) AND blocked_at IS NOT NULL RETURNING wallet_id`,
    [asset.assetId, rest],
  );
  const ids = free.map((row) => row.wallet_id);
  if (ids.length > 0) await db.query('SELECT wake_sends($1, $2)', [asset.assetId, ids]);
  return { isPaused, blocked };
}

const ASK_AGAIN = '10 minutes';

/** A token may remove wallets from its blacklist. */
export async function askAgain(db: Queryable, network: Network, asset: NetworkAsset): Promise<void> {
  const wallets = await db.query<Asked>(
    `SELECT h.wallet_id AS "walletId", w.address FROM holdings h JOIN wallets w USING (wallet_id)
      WHERE h.asset_id = $1 AND h.blocked_at IS NOT NULL AND h.asked_at < clock_timestamp() - $2::interval
      ORDER BY h.asked_at LIMIT 200`,
    [asset.assetId, ASK_AGAIN],
  );
  if (wallets.length > 0) await askToken(db, network, asset, wallets);
}
