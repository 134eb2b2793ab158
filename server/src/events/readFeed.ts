import type { Queryable } from '../db/database.ts';
import { type Place, parseEventId, timeBefore } from './place.ts';
import { readSubjects, type Subject } from './readSubjects.ts';

export interface FeedEvent {
  /** Its id and its place. */
  readonly place: Place;
  readonly type: string;
  readonly at: Date;
  /** Of the payment, the request, or the person. */
  readonly subjectId: string;
  /** Whose event it is. */
  readonly people: readonly string[];
  /** The payment, request or identity check as it is now. */
  readonly subject: Subject;
}

/** As `read_events` and its sisters answer it. */
export interface EventRow {
  readonly event_id: string;
  readonly type: string;
  readonly at: Date;
  readonly subject_id: string;
  readonly people: readonly string[];
  readonly is_wanted: boolean;
}

export interface FeedQuery {
  readonly after: Place;
  /** Undefined: all. */
  readonly types: readonly string[] | undefined;
  readonly limit: number;
  /** Only events of this person. */
  readonly userId?: string | undefined;
}

interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** Where to go on: the last event, or a later one that was looked at and not wanted. */
  readonly next: Place;
  /** Nothing that can be read now comes after `next`. */
  readonly isAll: boolean;
}

/** How many events are looked at in one statement, and of a person how many entries of their accounts. */
const SCANNED = 5_000;
/** Statements for one page: with rare types it may end empty, and still go on from a later place. */
const MOST_STATEMENTS = 4;
/** For a person the second one only finds that there is nothing more, unless they have very many entries. */
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
 * Since when events are committed and cannot be read yet, because of a transaction that began before them. Undefined: none
 * are, or only for the moments that a transaction of ours takes.
 */
export async function findHeldSince(db: Queryable): Promise<Date | undefined> {
  const [row] = await db.query<{ since: Date | null }>(
    `SELECT since FROM events_held_since() AS since WHERE since < clock_timestamp() - interval '${HELD_SECONDS} seconds'`,
  );
  return row?.since ?? undefined;
}
