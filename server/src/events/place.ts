import { PayError } from '../core/errors.ts';
import type { Queryable } from '../db/database.ts';

/** A place in the feed: after an event, or before all of them. */
export interface Place {
  readonly seq: bigint;
  /** Of the event. Undefined at the start. */
  readonly atMs: number | undefined;
  /** The id of the event, or `start`. */
  readonly cursor: string;
}

export const START: Place = { seq: 0n, atMs: undefined, cursor: 'start' };

const EVENT_ID = /^evt_([0-7][0-9a-f]{15})([0-9a-f]{11})[0-9a-f]{8}$/;

/** The id of an event says where it is; see `sql/functions/events/event_id.sql`. */
export function parseEventId(id: string): Place {
  const match = EVENT_ID.exec(id);
  if (!match) throw new PayError('cursor.invalid');
  return { seq: BigInt(`0x${match[1]}`), atMs: Number.parseInt(match[2]!, 16), cursor: id };
}

/**
 * Longer than any database transaction of ours may last, and than clocks of two database servers may differ. Among
 * transactions of the same moments the order of places is not that of times.
 */
const MOMENTS_MS = 600_000;

/** A time before which nothing comes after this place, for those who have to look by time. */
export const timeBefore = ({ atMs }: Place): string =>
  atMs === undefined ? '-infinity' : new Date(Math.max(0, atMs - MOMENTS_MS)).toISOString();

/**
 * The place that a cursor names: an event's id, `start`, or `now`. An event that this database does not have was issued by
 * one that is no more: it was restored from a backup, or a failover has lost commits. Then the reader is told where to go
 * on: whatever this database has, and that one had not, was committed after the reader's last event. The feed begins after
 * the horizon: see `openHorizon`.
 */
export async function findPlace(
  db: Queryable,
  cursor: string,
  horizon: () => Promise<Place> = async () => START,
): Promise<Place> {
  if (cursor === 'now') return findLast(db);
  const first = await horizon();
  if (cursor === 'start') return first;
  const place = parseEventId(cursor);
  // Whoever stands at the last event before it has missed nothing.
  if (place.seq < first.seq) throw new PayError('cursor.expired', { resume_after: first.cursor });
  if (await isThere(db, place)) return place;
  const [before] = await db.query<{ event_id: string }>('SELECT event_id FROM event_before($1)', [timeBefore(place)]);
  throw new PayError('cursor.lost', { resume_after: before?.event_id ?? START.cursor });
}

export async function isThere(db: Queryable, { seq, cursor }: Place): Promise<boolean> {
  if (seq === 0n) return cursor === START.cursor;
  const [event] = await db.query<{ event_id: string }>('SELECT event_id FROM find_event($1)', [seq]);
  return event?.event_id === cursor;
}

export async function findLast(db: Queryable): Promise<Place> {
  const [event] = await db.query<{ event_id: string }>('SELECT event_id FROM last_event()');
  return event ? parseEventId(event.event_id) : START;
}
