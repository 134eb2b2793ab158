import type { Payment, TimelineStep } from '../../core/payment.ts';
import type { Queryable } from '../../db/database.ts';
import { NETWORK_WAITS, type NetworkWait } from '../search/networkWaits.ts';
import { isFinal } from '../state.ts';

interface WaitRow {
  /** It waits for approvals or its delay; its first step says so. */
  readonly is_waiting: boolean;
  readonly coins_since: Date | null;
  readonly paused_since: Date | null;
  readonly gas_since: Date | null;
  /** The time since which the worker cannot read the network. */
  readonly silent_since: Date | null;
  readonly unread_since: Date | null;
  readonly overdue_since: Date | null;
}

export const BEFORE_SIGNING = ['INITIATED', 'CLEARED', 'QUEUED'];

/**
 * Describes what delays a payment to an address now; undefined if nothing does. The people who wait for it read prepared
 * words, operators also which part of the service is affected. Hosts and causes are in the log and in `/readyz`.
 */
export async function findWait(db: Queryable, payment: Payment): Promise<TimelineStep | undefined> {
  if (payment.kind !== 'chain' || isFinal(payment.state)) return undefined;
  const { blockchain } = payment;
  const [row] = await db.query<WaitRow>(SQL, [payment.paymentId, blockchain]);
  if (!row || row.is_waiting) return undefined;
  const isUnsigned = BEFORE_SIGNING.includes(payment.state);
  const reasons: [why: NetworkWait, since: Date | null][] = [
    ['pause', isUnsigned ? row.paused_since : null],
    ['node', row.silent_since ?? row.unread_since],
    ['worker', row.overdue_since],
    ['gas', payment.state === 'CONFIRMED' ? null : row.gas_since],
    ['coins', isUnsigned ? row.coins_since : null],
  ];
  const found = reasons.find(([, since]) => since !== null);
  if (!found) return undefined;
  const [why, since] = found;
  const { note, detail } = NETWORK_WAITS[why](blockchain);
  // The wait cannot have begun before the payment reached its last step.
  const last = Math.max(...payment.timeline.map(({ at }) => at.getTime()));
  return { state: null, at: new Date(Math.max(since!.getTime(), last)), txHash: null, note, detail };
}

/**
 * A single failure is not shown: the worker tries again immediately. Silent nodes count only if so many are silent that
 * reading fails.
 */
const SQL = `SELECT payment_waits(p) AS is_waiting,
  (SELECT p.updated_at FROM jobs WHERE kind = 'submit ' || $2 AND key = p.payment_id::text AND waits_for LIKE 'coins %'
      AND run_at > clock_timestamp()) AS coins_since,
  (SELECT min(paused_at) FROM pauses
    WHERE scope IN ('all', 'chain', 'chain:' || $2) AND stops = 'accepting and signing') AS paused_since,
  (SELECT min(paused_at) FROM pauses WHERE scope = 'chain:' || $2 AND cause = 'gas') AS gas_since,
  CASE WHEN t.last_error IS NOT NULL THEN (SELECT min(since) FROM node_faults
    WHERE blockchain = $2 AND kind = 'silent' AND seen_at > clock_timestamp() - interval '1 minute') END AS silent_since,
  CASE WHEN t.last_error IS NOT NULL AND t.attempts > 2 THEN p.updated_at END AS unread_since,
  CASE WHEN t.run_at < clock_timestamp() - interval '30 seconds' THEN t.run_at END AS overdue_since
  FROM payments p LEFT JOIN jobs t ON t.kind = 'track ' || $2 AND t.key = $2
 WHERE p.payment_id = $1`;
