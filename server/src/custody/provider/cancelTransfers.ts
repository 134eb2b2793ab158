import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';

const LIMIT = 50;

/**
 * Asks the provider to stop transfers that are to be cancelled, until it has answered. A yes is not a proof: the move
 * is dead when the provider reports the transfer as cancelled and the chain does not have it. After a no the payment
 * continues. The provider may say yes in another state of the transfer, so it is asked again when the state has
 * changed, with growing pauses.
 */
export async function cancelTransfers(app: CustodyApp, network: Network): Promise<void> {
  const wanted = await app.db.query<{ move_id: string }>(
    `SELECT p.move_id
       FROM coin_moves m JOIN provider_transfers p USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND m.cancel_wanted_at IS NOT NULL AND p.provider_id IS NOT NULL
        AND p.provider_state IN ('submitted', 'sent')
        AND (p.cancel_answer IS NULL
             OR p.cancel_answer = 'unknown' AND p.cancel_asked_at <= clock_timestamp() - $2 * interval '1 millisecond'
             OR p.cancel_answer = 'rejected' AND (p.updated_at > p.cancel_asked_at OR p.cancel_asked_at <=
                  clock_timestamp() - $2 * interval '1 millisecond' * least(2 ^ least(p.cancel_refusals, 10), 100)))
      ORDER BY m.cancel_wanted_at LIMIT $3`,
    [assetIdsOf(network), network.settings.askProviderMs, LIMIT],
  );
  for (const { move_id: moveId } of wanted) {
    await record(app, moveId, 'unknown');
    const answer = await app.signer.transfers.cancel(moveId);
    if (answer.outcome !== 'unknown') await record(app, moveId, answer.outcome);
  }
}

const record = (app: CustodyApp, moveId: string, answer: string): Promise<unknown> =>
  app.db.query(
    `UPDATE provider_transfers SET cancel_answer = $2, cancel_asked_at = date_trunc('milliseconds', clock_timestamp()),
            cancel_refusals = cancel_refusals + ($2 = 'rejected')::int
      WHERE move_id = $1`,
    [moveId, answer],
  );
