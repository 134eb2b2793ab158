import { PayError } from '../core/errors.ts';
import type { Queryable } from '../db/database.ts';

/** A position in the feed: after an event, or before all events. */
export interface FeedPosition {
  readonly seq: bigint;
  /** The event's sequence number; undefined at the start. */
  readonly atMs: number | undefined;
  /** The id of the event, or `start`. */
  readonly cursor: string;
}

export const START: FeedPosition = { seq: 0n, atMs: undefined, cursor: 'start' };

const EVENT_ID = /^evt_([0-7][0-9a-f]{15})([0-9a-f]{11})[0-9a-f]{8}$/;

/** Parses an event id, which contains the event's position; see `sql/functions/events/event_id.sql`. */
export function parseEventId(id: string): FeedPosition {
  const match = EVENT_ID.exec(id);
  if (!match) throw new PayError('cursor.invalid');
  return { seq: BigInt(`0x${match[1]}`), atMs: Number.parseInt(match[2]!, 16), cursor: id };
}

/**
 * Longer than any of our database transactions can last, and longer than the clocks of two database servers can differ.
 * Within this span, positions and times can be in a different order.
 */
const MOMENTS_MS = 600_000;

/** A lower bound for the times of all events after this position, for readers that search by time. */
export const timeBefore = ({ atMs }: FeedPosition): string =>
  atMs === undefined ? '-infinity' : new Date(Math.max(0, atMs - MOMENTS_MS)).toISOString();

/**
 * Finds the position for a cursor: an event's id, `start` or `now`. If this database does not have the event, another
 * database issued it: a backup was restored, or a failover lost commits. The error then names a cursor to resume from.
 * Events that only this database has were committed after the reader's last event, so they all come after that cursor.
 * The feed begins after the horizon; see `openHorizon`.
 */
export async function findPosition(
  db: Queryable,
  cursor: string,
  horizon: () => Promise<FeedPosition> = async () => START,
): Promise<FeedPosition> {
  if (cursor === 'now') return findLast(db);
  const first = await horizon();
  if (cursor === 'start') return first;
  const place = parseEventId(cursor);
  // A reader at the last event before the horizon has missed nothing.
  if (place.seq < first.seq) throw new PayError('cursor.expired', { resume_after: first.cursor });
  if (await isThere(db, place)) return place;
  const [before] = await db.query<{ event_id: string }>('SELECT event_id FROM event_before($1)', [timeBefore(place)]);
  throw new PayError('cursor.lost', { resume_after: before?.event_id ?? START.cursor });
}

export async function isThere(db: Queryable, { seq, cursor }: FeedPosition): Promise<boolean> {
  if (seq === 0n) return cursor === START.cursor;
  const [event] = await db.query<{ event_id: string }>('SELECT event_id FROM find_event($1)', [seq]);
  return event?.event_id === cursor;
}

export async function findLast(db: Queryable): Promise<FeedPosition> {
  const [event] = await db.query<{ event_id: string }>('SELECT event_id FROM last_event()');
  return event ? parseEventId(event.event_id) : START;
}
