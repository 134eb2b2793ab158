import type { Queryable } from '../db/database.ts';
import { type FeedPosition, parseEventId, timeBefore } from './feedPosition.ts';
import { readSubjects, type Subject } from './readSubjects.ts';

export interface FeedEvent {
  /** The id, which is also the event's position. */
  readonly place: FeedPosition;
  readonly type: string;
  readonly at: Date;
  /** The id of the payment, the request or the person. */
  readonly subjectId: string;
  /** The people who can read the event. */
  readonly people: readonly string[];
  /** The current payment, request or identity check. */
  readonly subject: Subject;
}

/** A row of `read_events` and the related functions. */
export interface EventRow {
  readonly event_id: string;
  readonly type: string;
  readonly at: Date;
  readonly subject_id: string;
  readonly people: readonly string[];
  readonly is_wanted: boolean;
}

export interface FeedQuery {
  readonly after: FeedPosition;
  /** Undefined: all types. */
  readonly types: readonly string[] | undefined;
  readonly limit: number;
  /** Only events of this person. */
  readonly userId?: string | undefined;
}

interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** The position to resume from: the last event, or a later event that was scanned and filtered out. */
  readonly next: FeedPosition;
  /** No event that is readable now comes after `next`. */
  readonly isAll: boolean;
}

/** Rows to scan per statement: events or, for one person, entries of their accounts. */
const SCANNED = 5_000;
/** Statements per page. With rare types a page can be empty and still advance `next`. */
const MOST_STATEMENTS = 4;
/** For one person, the second statement usually only finds that there are no more entries. */
const MOST_OWN_STATEMENTS = 2;

export async function readFeed(db: Queryable, query: FeedQuery): Promise<FeedPage> {
  const found: EventRow[] = [];
  let next = query.after;
  let isAll = false;
  const most = query.userId === undefined ? MOST_STATEMENTS : MOST_OWN_STATEMENTS;
  for (let n = 0; n < most && found.length < query.limit && !isAll; n++) {
    const limit = query.limit - found.length;
    const rows = await readRows(db, { ...query, after: next, limit });
    const last = rows.at(-1);
    if (last) next = parseEventId(last.event_id);
    found.push(...rows.filter((row) => row.is_wanted));
    const isWhole = query.types === undefined && query.userId === undefined;
    isAll = isWhole ? rows.length < limit : !last;
  }
  return { events: await toEvents(db, found), next, isAll };
}

function readRows(db: Queryable, { after, types: wanted, limit, userId }: FeedQuery): Promise<EventRow[]> {
  const types = wanted ?? null;
  if (userId === undefined)
    return db.query<EventRow>('SELECT * FROM read_events($1, $2, $3, $4)', [after.seq, types, limit, SCANNED]);
  return db.query<EventRow>('SELECT * FROM read_events_of($1, $2, $3, $4, $5, $6)', [
    userId,
    after.seq,
    timeBefore(after),
    types,
    limit,
    SCANNED,
  ]);
}

export async function toEvents(db: Queryable, rows: readonly EventRow[]): Promise<FeedEvent[]> {
  const subjects = await readSubjects(db, rows);
  return rows.map((row) => ({
    place: parseEventId(row.event_id),
    type: row.type,
    at: row.at,
    subjectId: row.subject_id,
    people: row.people,
    subject: subjects.get(`${row.type.split('.')[0]} ${row.subject_id}`)!,
  }));
}

const HELD_SECONDS = 2;

/**
 * The time since which committed events cannot be read because an older transaction is still open. Undefined if there
 * are none, or if they wait only as long as our own transactions normally take.
 */
export async function findHeldSince(db: Queryable): Promise<Date | undefined> {
  const [row] = await db.query<{ since: Date | null }>(
    `SELECT since FROM events_held_since() AS since WHERE since < clock_timestamp() - interval '${HELD_SECONDS} seconds'`,
  );
  return row?.since ?? undefined;
}
