import type { ProviderTransfer } from '../../core/providerSays.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';

/** The provider's report, or its permanent refusal. */
type Said = ProviderTransfer | { readonly state: 'failed' | 'cancelled'; readonly error: string };

/** Answers may arrive out of order. The report from later in the life of a transfer stays, unless it is corrected. */
const RANK = (state: string): string =>
  `array_position(ARRAY['new', 'submitted', 'sent', 'failed', 'cancelled', 'done'], ${state})`;

/**
 * Records the provider's report. If the transfer ended without moving coins, the head of the chain is recorded too:
 * blocks up to there may still contain the transfer, whatever the provider reports. `corrects`: the provider was asked
 * to confirm an end, and did not.
 */
export async function recordProviderState(
  app: CustodyApp,
  network: Network,
  moveId: string,
  said: Said,
  corrects = false,
): Promise<void> {
  const isEnded = said.state === 'failed' || said.state === 'cancelled';
  const head = isEnded ? (await network.chain.getHead()).number : null;
  const transfer = 'providerId' in said ? said : undefined;
  await app.db.query(
    `UPDATE provider_transfers
        SET provider_id = coalesce(provider_id, $2), provider_state = $3, tx_hash = coalesce($4, tx_hash), error = $5,
            ended_head = CASE WHEN $6::bigint IS NOT NULL THEN coalesce(ended_head, $6) END, waits_for = NULL,
            updated_at = CASE WHEN (provider_state, tx_hash) IS DISTINCT FROM ($3, coalesce($4, tx_hash))
                              THEN clock_timestamp() ELSE updated_at END
      WHERE move_id = $1 AND ($7 OR ${RANK('$3::text')} >= ${RANK('provider_state')})`,
    [moveId, transfer?.providerId ?? null, said.state, transfer?.txHash ?? null, said.error ?? null, head, corrects],
  );
}

/**
 * Two people have decided that the transfer was never made, and the provider does not know it. The chain has the last
 * word: see `findDead`.
 */
export const recordNeverMade = (
  app: CustodyApp,
  network: Network,
  moveId: string,
  isUnwanted: boolean,
): Promise<void> =>
  recordProviderState(app, network, moveId, { state: isUnwanted ? 'cancelled' : 'failed', error: NEVER_MADE }, true);

const NEVER_MADE = 'it was never handed over';

/** A text cause explains why the transfer was not handed over yet. */
export async function noteWaiting(app: CustodyApp, moveId: string, cause: unknown): Promise<void> {
  if (typeof cause !== 'string') return;
  await app.db.query(
    `UPDATE provider_transfers SET waits_for = left($2, 500)
      WHERE move_id = $1 AND provider_state = 'new' AND waits_for IS DISTINCT FROM left($2, 500)`,
    [moveId, cause],
  );
}

/** Recorded before the call, even if the call fails. */
export const noteAsked = (app: CustodyApp, moveId: string): Promise<unknown> =>
  app.db.query('UPDATE provider_transfers SET asked_at = clock_timestamp() WHERE move_id = $1', [moveId]);

/**
 * SQL: `p` was not checked for as long as the network's settings say; `$n` is that time. A transfer that has not
 * changed for long is checked less often. A provider's webhook makes it due immediately.
 */
export const isDue = (parameter: string): string =>
  `(p.asked_at IS NULL OR p.asked_at <= clock_timestamp() - ${parameter} * interval '1 millisecond'
      * least(15, greatest(1, extract(epoch FROM clock_timestamp() - p.updated_at) / 20)))`;
