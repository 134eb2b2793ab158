import { findViolatedConstraint } from '../../db/database.ts';
import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { IS_NEVER_MADE } from './heldTransfers.ts';
import { isDue, noteAsked, noteWaiting, recordNeverMade, recordProviderState } from './transfers.ts';

const LIMIT = 50;

/** A pass ends after this long, because transfers in progress must be checked too. */
const PASS_MS = 2_000;

interface Wanted {
  readonly move_id: string;
  readonly wallet_id: string;
  readonly provider: string;
  /** Its cancellation was requested. */
  readonly is_unwanted: boolean;
}

/**
 * Hands moves to their provider. The row with the idempotency key is committed before the call, so a request whose
 * answer was lost is repeated under the same key and creates one transfer. A move that is funded by others waits until
 * all of its coins are in its wallet, because a provider cannot send both together. Each wallet has at most one
 * unanswered transfer: those behind it can still be cancelled immediately.
 */
export async function submitTransfers(app: CustodyApp, network: Network): Promise<void> {
  const wanted = await app.db.query<Wanted>(
    `SELECT m.move_id, m.wallet_id, w.provider, false AS is_unwanted
       FROM coin_moves m JOIN wallets w USING (wallet_id)
      WHERE m.asset_id = ANY ($1) AND m.rail = 'provider' AND m.state = 'open' AND m.cancel_wanted_at IS NULL
        AND m.reserved = m.amount AND m.started_at IS NULL AND NOT EXISTS (
          SELECT FROM coin_moves o JOIN provider_transfers p USING (move_id)
           WHERE o.wallet_id = m.wallet_id AND o.asset_id = m.asset_id AND o.state = 'open' AND p.provider_state = 'new'
             AND p.held_at IS NULL)
      ORDER BY m.created_at LIMIT $2`,
    [assetIdsOf(network), LIMIT],
  );
  const untilMs = performance.now() + PASS_MS;
  const busy = new Set<string>();
  for (const move of wanted) {
    if (performance.now() > untilMs) return;
    if (busy.has(move.wallet_id)) continue;
    // The key is the move's id, which for a send is the payment's id, so a restored database uses the same key.
    const isNew = await app.db
      .query(
        'INSERT INTO provider_transfers (move_id, provider, key, asked_at) VALUES ($1, $2, $1, clock_timestamp())',
        [move.move_id, move.provider],
      )
      .then(() => true)
      .catch((error: unknown) => {
        // Another worker was faster, or the move was cancelled in the meantime.
        if (LATE.includes(findViolatedConstraint(error) ?? '')) return false;
        throw error;
      });
    if (isNew && !(await submit(app, network, move))) busy.add(move.wallet_id);
  }
}

const LATE = ['provider_transfers_only_while_open', 'provider_transfers_pkey'];

/**
 * Repeats requests that were never answered, under the same key. This includes moves that are to be cancelled: the
 * provider can only cancel a transfer with an id. A held transfer is only searched for, occasionally; it ends when two
 * people decide that it was never made. While `mayStart` is false, nothing is requested. This then handles only transfers
 * that people have declared never made, and moves that are to be cancelled and were never requested: it searches for
 * their transfers, and ends the moves if there are none.
 */
export async function repeatUnanswered(app: CustodyApp, network: Network, mayStart: boolean): Promise<void> {
  const unanswered = await app.db.query<Wanted & { is_never_made: boolean }>(
    `SELECT m.move_id, m.wallet_id, p.provider, m.cancel_wanted_at IS NOT NULL AS is_unwanted, ${IS_NEVER_MADE} AS is_never_made
       FROM coin_moves m JOIN provider_transfers p USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND p.provider_state = 'new' AND ${isDue('$2')}
        AND ($4 OR m.cancel_wanted_at IS NOT NULL AND p.attempts = 0 OR ${IS_NEVER_MADE})
      ORDER BY p.asked_at NULLS FIRST, p.submitted_at LIMIT $3`,
    [assetIdsOf(network), network.settings.askProviderMs, LIMIT, mayStart],
  );
  const untilMs = performance.now() + PASS_MS;
  for (const move of unanswered) {
    if (performance.now() > untilMs) return;
    await noteAsked(app, move.move_id);
    if (move.is_never_made) await recordNeverMade(app, network, move.move_id, move.is_unwanted);
    else await submit(app, network, move);
  }
}

const endOf = ({ is_unwanted: isUnwanted }: Wanted) => (isUnwanted ? 'cancelled' : 'failed');

/** Returns whether the provider has answered. */
async function submit(app: CustodyApp, network: Network, move: Wanted): Promise<boolean> {
  const answer = await app.signer.transfers.submit(move.move_id);
  if (answer.outcome === 'accepted') await recordProviderState(app, network, move.move_id, answer);
  else if (answer.outcome === 'rejected')
    await recordProviderState(app, network, move.move_id, { state: endOf(move), error: answer.reason });
  else await noteWaiting(app, move.move_id, answer.cause);
  return answer.outcome !== 'unknown';
}
