import type { Hex } from '../../core/ports.ts';
import { findViolatedConstraint } from '../../db/database.ts';
import { assetIdsOf, getAsset, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { getTransfers, isDue, noteAsked, recordSaid } from './transfers.ts';

const LIMIT = 50;

interface Wanted {
  readonly move_id: string;
  readonly asset_id: number;
  readonly to_address: Hex;
  readonly amount: bigint;
  readonly provider: string;
  readonly reference: string;
}

/**
 * Hands moves to their provider. The row with the idempotency key is committed before the call, so an answer that is lost
 * is asked for again under the same key, and one transfer is made. A move that is funded by others waits until all of its
 * coins are in its wallet: nothing of it could be carried together.
 */
export async function submitTransfers(app: CustodyApp, network: Network): Promise<void> {
  const wanted = await app.db.query<Wanted>(
    `SELECT m.move_id, m.asset_id, m.to_address, m.amount, w.provider, w.reference
       FROM coin_moves m JOIN wallets w USING (wallet_id)
      WHERE m.asset_id = ANY ($1) AND m.rail = 'provider' AND m.state = 'open' AND m.cancel_wanted_at IS NULL
        AND m.reserved = m.amount AND m.started_at IS NULL
      ORDER BY m.created_at LIMIT $2`,
    [assetIdsOf(network), LIMIT],
  );
  for (const move of wanted) {
    // The key is the move's id, of a send the payment's: also a restored database asks under the same one.
    const isNew = await app.db
      .query(
        'INSERT INTO provider_transfers (move_id, provider, key, asked_at) VALUES ($1, $2, $1, clock_timestamp())',
        [move.move_id, move.provider],
      )
      .then(() => true)
      .catch((error: unknown) => {
        // Another worker was faster, or the move was cancelled meanwhile.
        if (LATE.includes(findViolatedConstraint(error) ?? '')) return false;
        throw error;
      });
    if (isNew) await submit(app, network, move);
  }
}

const LATE = ['provider_transfers_only_while_open', 'provider_transfers_pkey'];

/**
 * Calls that were never answered, under the same key. Also of a move that is to be cancelled: only what has a provider's id
 * can be cancelled there.
 */
export async function repeatUnanswered(app: CustodyApp, network: Network): Promise<void> {
  const unanswered = await app.db.query<Wanted>(
    `SELECT m.move_id, m.asset_id, m.to_address, m.amount, p.provider, w.reference
       FROM coin_moves m JOIN provider_transfers p USING (move_id) JOIN wallets w USING (wallet_id)
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND p.provider_state = 'new' AND ${isDue('$2')}
      ORDER BY p.submitted_at LIMIT $3`,
    [assetIdsOf(network), network.settings.askProviderMs, LIMIT],
  );
  for (const move of unanswered) {
    await noteAsked(app, move.move_id);
    await submit(app, network, move);
  }
}

async function submit(app: CustodyApp, network: Network, move: Wanted): Promise<void> {
  const answer = await getTransfers(app, move.provider).submit({
    key: move.move_id,
    blockchain: network.chain.blockchain,
    token: getAsset(network, move.asset_id).contract,
    reference: move.reference,
    to: move.to_address,
    amount: move.amount,
  });
  if (answer.outcome === 'accepted') await recordSaid(app, network, move.move_id, answer);
  else if (answer.outcome === 'rejected') {
    await recordSaid(app, network, move.move_id, { state: 'failed', error: answer.reason });
  }
}
