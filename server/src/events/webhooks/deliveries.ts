import { PayError } from '../../core/errors.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { getEndpoint } from './endpoints.ts';

export interface Delivery {
  readonly eventId: string;
  readonly type: string;
  readonly happenedAt: Date;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When the next attempt is due; null if there is none. */
  readonly dueAt: Date | null;
  /** The end of the last attempt; null before the first. */
  readonly attemptedAt: Date | null;
  readonly tookMs: number | null;
  readonly status: number | null;
  readonly answer: string | null;
  /** Why there was no answer. */
  readonly fault: string | null;
  /** The attempts before the last one, newest first, also those before the event was sent again. */
  readonly earlier: readonly EarlierAttempt[];
}

/** As it is stored, and as the API returns it. */
interface EarlierAttempt {
  readonly at: string;
  readonly took_ms: number;
  readonly status: number | null;
  readonly answer: string | null;
  readonly fault: string | null;
}

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

interface DeliveryPage {
  readonly items: readonly Delivery[];
  readonly cursor: string | null;
}

interface DeliveryQuery {
  readonly endpointId: string;
  readonly state?: DeliveryState | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

const COLUMNS = `event_id AS "eventId", type, happened_at AS "happenedAt", state, attempts, due_at AS "dueAt",
  attempted_at AS "attemptedAt", took_ms AS "tookMs", status, answer, fault, earlier_attempts AS earlier`;

/** Part of the statement's text: with a parameter, PostgreSQL would not use the partial index of the rare states. */
const STATE_IS: Readonly<Record<DeliveryState, string>> = {
  waiting: `AND state = 'waiting'`,
  delivered: `AND state = 'delivered'`,
  failed: `AND state = 'failed'`,
};

/** Newest first. */
export async function listDeliveries(db: Queryable, query: DeliveryQuery): Promise<DeliveryPage> {
  const { endpointId, state, limit } = query;
  await getEndpoint(db, endpointId);
  const after = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  const rows = await db.query<Delivery & { place: bigint }>(
    `SELECT ${COLUMNS}, place FROM webhook_deliveries
      WHERE endpoint_id = $1 ${state === undefined ? '' : STATE_IS[state]}
        AND ($2::bigint IS NULL OR (place, event_id) < ($2, $3::text))
      ORDER BY place DESC, event_id DESC LIMIT $4`,
    [endpointId, after?.place ?? null, after?.eventId ?? null, limit + 1],
  );
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const cursor = last && rows.length > limit ? `1.${last.place}.${last.eventId}` : null;
  return { items, cursor: cursor && Buffer.from(cursor).toString('base64url') };
}

function parseCursor(cursor: string): { readonly place: string; readonly eventId: string } {
  const match = /^1\.(\d{1,18})\.(\w{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match) throw new PayError('cursor.invalid');
  return { place: match[1]!, eventId: match[2]! };
}

export async function getDelivery(db: Queryable, endpointId: string, eventId: string): Promise<Delivery> {
  const [found] = await db.query<Delivery>(
    `SELECT ${COLUMNS} FROM webhook_deliveries WHERE endpoint_id = $1 AND event_id = $2`,
    [endpointId, eventId],
  );
  if (!found) throw new PayError('webhook.event_unknown');
  return found;
}

/** Sends one event again, regardless of its state, with the full retry schedule. The event keeps its id. */
export async function replayOne(tx: Tx, endpointId: string, eventId: string): Promise<Delivery> {
  await getEndpoint(tx, endpointId);
  await tx.query('SELECT hasten_deliveries($1, $2)', [endpointId, eventId]);
  return getDelivery(tx, endpointId, eventId);
}

interface Span {
  readonly since: Date;
  readonly until: Date;
  /** The cursor returned by an earlier call. */
  readonly cursor: string | null;
}

interface Replayed {
  readonly events: number;
  /** Present if there is more: repeat the call with this cursor. */
  readonly cursor: string | null;
}

const REPLAY_PAGE = 1_000;
const REPLAY_MOST = 10_000;
/** Times in the feed grow with positions, except among commits that are close together. */
const SAME_MOMENTS_MS = 60_000;

/**
 * Sends the events from `since` until before `until` again, read from the feed. This includes deliveries that were
 * deleted and events from before the endpoint existed, if the endpoint subscribes to their type. A long span is sent in
 * parts.
 */
export async function replaySpan(tx: Tx, endpointId: string, { since, until, cursor }: Span): Promise<Replayed> {
  if (since >= until) throw new PayError('webhook.span', { reason: '`since` is not before `until`' });
  await getEndpoint(tx, endpointId);
  let place = cursor === null ? await findPositionBefore(tx, since) : parsePosition(cursor);
  for (let events = 0, looked = 0; ; ) {
    const [page] = await tx.query<{
      events: number;
      last_place: bigint | null;
      last_at: Date | null;
      looked_at: number;
    }>('SELECT * FROM replay_deliveries($1, $2, $3, $4, $5)', [endpointId, place, REPLAY_PAGE, since, until]);
    const { last_place: last, last_at: lastAt, looked_at: count } = page!;
    events += page!.events;
    looked += count;
    place = last ?? place;
    const isPast = lastAt !== null && lastAt.getTime() > until.getTime() + SAME_MOMENTS_MS;
    if (count < REPLAY_PAGE || isPast) return { events, cursor: null };
    // Stop here even if few of them match: a long transaction holds back the feed for all readers.
    if (looked >= REPLAY_MOST) return { events, cursor: Buffer.from(`2.${place}`).toString('base64url') };
  }
}

async function findPositionBefore(tx: Tx, since: Date): Promise<bigint> {
  const before = new Date(since.getTime() - SAME_MOMENTS_MS);
  const [row] = await tx.query<{ seq: bigint }>('SELECT seq FROM event_before($1)', [before]);
  return row?.seq ?? 0n;
}

function parsePosition(cursor: string): bigint {
  const match = /^2\.(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match) throw new PayError('cursor.invalid');
  return BigInt(match[1]!);
}

/** Sends an event that never happened, to test a receiver. It is sent before waiting deliveries. */
export async function sendTestEvent(tx: Tx, endpointId: string): Promise<Delivery> {
  await getEndpoint(tx, endpointId);
  const [row] = await tx.query<{ eventId: string }>('SELECT add_test_delivery($1) AS "eventId"', [endpointId]);
  return getDelivery(tx, endpointId, row!.eventId);
}
