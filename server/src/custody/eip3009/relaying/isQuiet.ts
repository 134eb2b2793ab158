import type { Chain } from '../../../core/ports.ts';
import { assetIdsOf, type Network } from '../../network.ts';
import type { CustodyApp } from '../../rail.ts';

/** When a pass last found nothing to relay and nothing waiting for a block. */
const quietSince = new WeakMap<Chain, number>();

/** A move may be committed a little after its own timestamp. */
const COMMIT_MS = 5_000;

export function notePass({ chain }: Network, isQuiet: boolean): void {
  if (isQuiet) quietSince.set(chain, Date.now());
  else quietSince.delete(chain);
}

/**
 * True if no move has been added since the last pass, and all relay transactions are mined and wait for finality. Nodes
 * are then asked only occasionally, however long that takes.
 */
export async function isQuiet(app: Pick<CustodyApp, 'db'>, network: Network): Promise<boolean> {
  const since = quietSince.get(network.chain);
  const quietMs = since === undefined ? Number.POSITIVE_INFINITY : Date.now() - since;
  if (quietMs >= network.settings.rebroadcastAfterMs) return false;
  const [row] = await app.db.query<{ has_news: boolean }>(
    `SELECT EXISTS (SELECT FROM coin_moves WHERE asset_id = ANY ($1) AND rail = 'eip3009' AND state = 'open'
                       AND created_at > clock_timestamp() - $2 * interval '1 millisecond')
         OR EXISTS (SELECT FROM coin_moves WHERE asset_id = ANY ($1) AND state = 'open' AND cancel_wanted_at IS NOT NULL)
         AS has_news`,
    [assetIdsOf(network), quietMs + COMMIT_MS],
  );
  return !row!.has_news;
}
