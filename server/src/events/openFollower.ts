import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../db/database.ts';
import { type FeedPosition, findLast, isThere, parseEventId } from './feedPosition.ts';
import { type EventRow, type FeedEvent, toEvents } from './readFeed.ts';

/** A caller that waits for events of one person, of one payment, or, without either, for any event. */
interface Listener {
  readonly userId?: string | undefined;
  readonly paymentId?: string | undefined;
  /**
   * Receives an event of the person. Listeners for a payment or for any event receive undefined: something has
   * happened.
   */
  hear(event: FeedEvent | undefined): void;
  /** No more events follow: the process stops, or the database is no longer the one that was followed. */
  end(): void;
}

interface Listening {
  /**
   * Resolves when the listener has joined: it then receives every event that is not readable yet at that moment. Read
   * earlier events from the database afterwards. Also resolves when the listener stops before it has joined.
   */
  readonly joined: Promise<void>;
  stop(): void;
}

/**
 * The single reader of the feed in this process; all listeners share it. It does not use PostgreSQL's LISTEN, because
 * connection poolers break it.
 */
export interface Follower {
  listen(listener: Listener): Listening;
  readonly isClosed: boolean;
  close(): Promise<void>;
}

interface FollowerOptions {
  readonly everyMs?: number;
  /** How often to check that the database still has the last event that was read. A check also follows every outage. */
  readonly checkEveryMs?: number;
  readonly onFault?: (error: unknown) => void;
  readonly onWork?: () => void;
}

const EVERY_MS = 100;
/**
 * Polls more often while listeners receive events, because more events are likely; less often after `QUIET_POLLS` polls
 * without one.
 */
const SOON_SHARE = 0.25;
const QUIET_SHARE = 2;
const QUIET_POLLS = 20;
const CHECK_EVERY_MS = 5_000;
const AFTER_FAULT_MS = 1_000;
const MOST_EVENTS = 1_000;
const SCANNED = 5_000;

interface Newcomer {
  readonly listener: Listener;
  readonly join: () => void;
}

/** Reads the feed only while there are listeners. */
export function openFollower(db: Queryable, options: FollowerOptions = {}): Follower {
  const { everyMs = EVERY_MS, checkEveryMs = CHECK_EVERY_MS, onFault, onWork } = options;
  const closing = new AbortController();
  const listeners = new Set<Listener>();
  /** A running statement does not include new listeners, so they join before the next one. */
  let newcomers: Newcomer[] = [];
  let following: Promise<void> | undefined;

  async function follow(): Promise<void> {
    let place: FeedPosition | undefined;
    let checkedMs = performance.now();
    let quietPolls = 0;
    while (listeners.size + newcomers.length > 0 && !closing.signal.aborted) {
      try {
        if (place && performance.now() - checkedMs > checkEveryMs) {
          if (!(await isThere(db, place))) {
            place = undefined;
            endAll();
          }
          checkedMs = performance.now();
        }
        place ??= await findLast(db);
        for (const { listener, join } of newcomers.splice(0)) {
          listeners.add(listener);
          join();
        }
        const rows = await read(place);
        const last = rows.at(-1);
        const next: FeedPosition = last ? parseEventId(last.event_id) : place;
        const payments = last ? await findPayments(place, next) : [];
        await notify(rows, payments);
        place = next;
        onWork?.();
        const isWanted = payments.length > 0 || rows.some((row) => row.is_wanted);
        quietPolls = isWanted ? 0 : quietPolls + 1;
        // A full batch means that there are more rows.
        if (rows.length < MOST_EVENTS)
          await rest(everyMs * (isWanted ? SOON_SHARE : quietPolls < QUIET_POLLS ? 1 : QUIET_SHARE));
      } catch (error) {
        onFault?.(error);
        checkedMs = Number.NEGATIVE_INFINITY;
        await rest(AFTER_FAULT_MS);
      }
    }
    following = undefined;
  }

  function read(place: FeedPosition): Promise<EventRow[]> {
    const users = [...new Set([...listeners].flatMap(({ userId }) => userId ?? []))];
    return db.query<EventRow>('SELECT * FROM follow_events($1, $2, $3, $4)', [users, place.seq, MOST_EVENTS, SCANNED]);
  }

  /** The payments that have a listener and an event in this part of the feed. */
  async function findPayments(after: FeedPosition, upTo: FeedPosition): Promise<readonly string[]> {
    const wanted = [...new Set([...listeners].flatMap(({ paymentId }) => paymentId ?? []))];
    if (wanted.length === 0) return [];
    const rows = await db.query<{ payment_id: string }>(
      'SELECT DISTINCT payment_id FROM payment_events WHERE seq > $1 AND seq <= $2 AND payment_id = ANY ($3)',
      [after.seq, upTo.seq, wanted],
    );
    return rows.map((row) => row.payment_id);
  }

  async function notify(rows: readonly EventRow[], payments: readonly string[]): Promise<void> {
    if (rows.length === 0) return;
    const events = await toEvents(
      db,
      rows.filter((row) => row.is_wanted),
    );
    const changed = new Set(payments);
    const byPerson = new Map<string | undefined, Listener[]>();
    for (const one of listeners) {
      if (one.paymentId === undefined) byPerson.set(one.userId, [...(byPerson.get(one.userId) ?? []), one]);
      else if (changed.has(one.paymentId)) one.hear(undefined);
    }
    for (const event of events)
      for (const person of event.people) for (const one of byPerson.get(person) ?? []) one.hear(event);
    for (const one of byPerson.get(undefined) ?? []) one.hear(undefined);
  }

  const rest = (ms: number) => sleep(ms, undefined, { signal: closing.signal }).catch(() => {});

  function endAll(): void {
    for (const one of listeners) one.end();
    listeners.clear();
  }

  function endNewcomers(): void {
    for (const { listener, join } of newcomers.splice(0)) {
      join();
      listener.end();
    }
  }

  return {
    listen(listener) {
      let join = () => {};
      const joined = new Promise<void>((resolve) => {
        join = resolve;
      });
      if (closing.signal.aborted) {
        listener.end();
        join();
      } else {
        newcomers.push({ listener, join });
        following ??= follow();
      }
      const stop = () => {
        listeners.delete(listener);
        newcomers = newcomers.filter((one) => one.listener !== listener);
        join();
      };
      return { joined, stop };
    },
    get isClosed() {
      return closing.signal.aborted;
    },
    async close() {
      closing.abort();
      // End the listeners first: the current statement may never get an answer from the database.
      endNewcomers();
      endAll();
      await following;
    },
  };
}
