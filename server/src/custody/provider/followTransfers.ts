import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { getTransfers, isDue, noteAsked, recordSaid } from './transfers.ts';

const LIMIT = 200;

/** Asks the provider what became of transfers that it took on, until a final log has ended their moves. */
export async function followTransfers(app: CustodyApp, network: Network): Promise<void> {
  const open = await app.db.query<{ move_id: string; provider: string; provider_id: string }>(
    `SELECT p.move_id, p.provider, p.provider_id
       FROM coin_moves m JOIN provider_transfers p USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.rail = 'provider' AND m.state = 'open' AND p.provider_id IS NOT NULL
        AND p.provider_state NOT IN ('failed', 'cancelled') AND ${isDue('$2')}
      ORDER BY p.asked_at NULLS FIRST LIMIT $3`,
    [assetIdsOf(network), network.settings.askProviderMs, LIMIT],
  );
  for (const { move_id: moveId, provider, provider_id: providerId } of open) {
    await noteAsked(app, moveId);
    const answer = await getTransfers(app, provider).find(providerId);
    if (answer.outcome === 'accepted') await recordSaid(app, network, moveId, answer);
  }
}
