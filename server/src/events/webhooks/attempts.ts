import type { Db } from '../../db/database.ts';
import { recordAudit } from '../../operators/recordAudit.ts';
import type { Claimed, Receiver } from './receiver.ts';

/** The outcome of one call. */
export interface Attempt {
  readonly eventId: string;
  readonly attempts: number;
  readonly isTest: boolean;
  readonly isTaken: boolean;
  readonly status: number | null;
  readonly answer: string | null;
  readonly fault: string | null;
  readonly tookMs: number;
  /** Time until the next attempt; undefined if there is none. */
  readonly pauseMs: number | undefined;
}

/**
 * Longer than a call can take. A killed worker has not recorded its calls; another worker repeats them after this time.
 */
const CLAIM_MS = 30_000;
/** Shorter than the retry schedule: an unreachable endpoint is switched off before any of its events is given up. */
const SWITCH_OFF_AFTER_HOURS = 72;
const GONE = 410;
/** The attempts before the last one that a delivery keeps. Only ordered delivery can need more than eleven. */
const MOST_EARLIER = 30;
/** The last answer is kept whole; the texts of earlier ones are cut, because thousands of deliveries can wait. */
const EARLIER_TEXT = 200;

const CLAIMED = `event_id AS "eventId", type, happened_at AS "happenedAt", data, is_test AS "isTest", attempts, place`;

/** Counts an attempt for up to `width` due deliveries and hides them from other workers. */
export const claimDue = (db: Db, { endpointId }: Receiver, width: number): Promise<Claimed[]> =>
  db.query<Claimed>(
    `UPDATE webhook_deliveries SET due_at = clock_timestamp() + $3 * interval '1 millisecond', attempts = attempts + 1
      WHERE endpoint_id = $1 AND event_id IN (
        SELECT d.event_id FROM webhook_deliveries d WHERE d.endpoint_id = $1 AND d.due_at <= now()
         ORDER BY d.due_at, d.place LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING ${CLAIMED}`,
    [endpointId, width, CLAIM_MS],
  );

/**
 * For an endpoint with ordered delivery: claims the first waiting deliveries, if they are due. Test events come first
 * and do not wait.
 */
export async function claimInOrder(db: Db, { endpointId }: Receiver, most: number): Promise<Claimed[]> {
  const rows = await db.query<Claimed>(`SELECT ${CLAIMED} FROM claim_in_order($1, $2, $3)`, [
    endpointId,
    most,
    CLAIM_MS,
  ]);
  return rows.sort((a, b) => Number(b.isTest) - Number(a.isTest) || Number(a.place - b.place));
}

/** All statements lock deliveries in the order of their ids; a bulk update would lock them in any order. */
const LOCKED = `SELECT event_id FROM webhook_deliveries WHERE endpoint_id = $1 AND event_id = ANY ($2::text[])
  ORDER BY event_id FOR UPDATE`;

/** Makes claimed deliveries that were not sent due again, as if they had never been claimed. */
export async function giveBack(db: Db, endpointId: string, claimed: readonly Claimed[]): Promise<void> {
  if (claimed.length === 0) return;
  await db.query(
    `WITH locked AS (${LOCKED})
     UPDATE webhook_deliveries d SET due_at = clock_timestamp(), attempts = d.attempts - 1
       FROM unnest($2::text[], $3::integer[]) AS c(event_id, attempts) JOIN locked USING (event_id)
      WHERE d.endpoint_id = $1 AND d.event_id = c.event_id AND d.attempts = c.attempts AND d.state = 'waiting'`,
    [endpointId, claimed.map((one) => one.eventId), claimed.map((one) => one.attempts)],
  );
}

/**
 * Records the outcomes. Skips an attempt that another worker has taken over. Returns the reason if the endpoint was
 * switched off.
 */
export async function recordAttempts(
  db: Db,
  receiver: Receiver,
  attempts: readonly Attempt[],
): Promise<string | undefined> {
  const rows = attempts.map(({ eventId, attempts: nth, isTaken, pauseMs, tookMs, status, answer, fault }) => ({
    event_id: eventId,
    nth,
    state: isTaken ? 'delivered' : pauseMs === undefined ? 'failed' : 'waiting',
    pause_ms: isTaken ? null : (pauseMs ?? null),
    took_ms: tookMs,
    status,
    answer,
    fault,
  }));
  await db.query(
    `WITH locked AS (${LOCKED})
     UPDATE webhook_deliveries d
        SET earlier_attempts = CASE WHEN d.attempted_at IS NULL THEN d.earlier_attempts ELSE jsonb_path_query_array(
              jsonb_build_object('at', d.attempted_at, 'took_ms', d.took_ms, 'status', d.status,
                'answer', left(d.answer, ${EARLIER_TEXT}), 'fault', left(d.fault, ${EARLIER_TEXT})) || d.earlier_attempts,
              '$[0 to ${MOST_EARLIER - 1}]') END,
            state = r.state, due_at = clock_timestamp() + r.pause_ms * interval '1 millisecond',
            attempted_at = clock_timestamp(), took_ms = r.took_ms, status = r.status, answer = r.answer, fault = r.fault
       FROM jsonb_to_recordset($3) AS r(event_id text, nth integer, state text, pause_ms float8, took_ms integer,
                                        status integer, answer text, fault text) JOIN locked USING (event_id)
      WHERE d.endpoint_id = $1 AND d.event_id = r.event_id AND d.attempts = r.nth AND d.state = 'waiting'`,
    [receiver.endpointId, rows.map((row) => row.event_id), JSON.stringify(rows)],
  );
  if (attempts.some(({ isTaken }) => isTaken)) {
    if (receiver.isFailing) await noteSuccess(db, receiver);
    return undefined;
  }
  const real = attempts.filter(({ isTest }) => !isTest);
  return real.length > 0 ? noteFailure(db, receiver, real) : undefined;
}

const noteSuccess = (db: Db, { endpointId }: Receiver) =>
  db.query('UPDATE webhook_endpoints SET failing_since = NULL WHERE endpoint_id = $1', [endpointId]);

/**
 * Records the time since which all calls have failed. Switches the endpoint off after some days of failures, or when
 * the receiver asks for it.
 */
function noteFailure(db: Db, { endpointId }: Receiver, attempts: readonly Attempt[]): Promise<string | undefined> {
  const isGone = attempts.some(({ status }) => status === GONE);
  const { status, fault } = attempts.at(-1)!;
  const last = fault ?? `the receiver answered ${status}`;
  return db.tx(async (tx) => {
    const [row] = await tx.query<{ since: Date; isLong: boolean }>(
      `UPDATE webhook_endpoints SET failing_since = coalesce(failing_since, now())
        WHERE endpoint_id = $1 AND state = 'on'
       RETURNING failing_since AS since, failing_since < now() - $2 * interval '1 hour' AS "isLong"`,
      [endpointId, SWITCH_OFF_AFTER_HOURS],
    );
    if (!row || (!isGone && !row.isLong)) return undefined;
    const failure = isGone
      ? 'the receiver answered 410: it is gone'
      : `nothing has worked since ${row.since.toISOString()}: ${last}`.slice(0, 500);
    await tx.query(`UPDATE webhook_endpoints SET state = 'failed', failure = $2 WHERE endpoint_id = $1`, [
      endpointId,
      failure,
    ]);
    await recordAudit(tx, {
      actor: 'service:webhooks',
      action: 'webhook.switched_off',
      details: { endpoint_id: endpointId, reason: failure },
    });
    return failure;
  });
}
