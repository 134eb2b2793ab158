import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../db/database.ts';
import { findLast, isThere, type Place, parseEventId } from './place.ts';
import { type EventRow, type FeedEvent, toEvents } from './readFeed.ts';

/** Somebody who waits for events: of one person, or, without one, for any. */
interface Listener {
  readonly userId: string | undefined;
  /** An event of the person; undefined: something has come, for those who listen for any. */
  hear(event: FeedEvent | undefined): void;
  /** Nothing more comes: the process stops, or this database is no longer the one that was followed. */
  end(): void;
}

/** The one reader of the feed in this process, for all who wait. PostgreSQL's LISTEN is not used: poolers break it. */
export interface Follower {
  /**
   * Resolves when every event is heard that is not readable yet at that moment; what is can be read from the database
   * afterwards. Answers how to stop.
   */
  listen(listener: Listener): Promise<() => void>;
  readonly isClosed: boolean;
  close(): Promise<void>;
}

interface FollowerOptions {
  readonly everyMs?: number;
  /** After an outage, and in between: whether the database still has the event that was read last. */
  readonly checkEveryMs?: number;
  readonly onFault?: (error: unknown) => void;
  readonly onWork?: () => void;
}

const EVERY_MS = 100;
/** While those who listen are told something, more is likely to come; when they were not for some looks, it is not. */
const SOON_SHARE = 0.25;
const QUIET_SHARE = 2;
const QUIET_LOOKS = 20;
const CHECK_EVERY_MS = 5_000;
const AFTER_FAULT_MS = 1_000;
const MOST_EVENTS = 1_000;
const SCANNED = 5_000;

interface Newcomer {
  readonly listener: Listener;
  readonly join: () => void;
}

/** It reads only while somebody listens. */
export function openFollower(db: Queryable, options: FollowerOptions = {}): Follower {
  const { everyMs = EVERY_MS, checkEveryMs = CHECK_EVERY_MS, onFault, onWork } = options;
  const closing = new AbortController();
  const listeners = new Set<Listener>();
  /** A statement that is under way does not know them yet, so they join before the next one. */
  let newcomers: Newcomer[] = [];
  let following: Promise<void> | undefined;

  async function follow(): Promise<void> {
    let place: Place | undefined;
    let checkedMs = performance.now();
    let quietLooks = 0;
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
        await tell(rows);
        const last = rows.at(-1);
        if (last) place = parseEventId(last.event_id);
        onWork?.();
        const isWanted = rows.some((row) => row.is_wanted);
        quietLooks = isWanted ? 0 : quietLooks + 1;
        // With that many rows there are more.
        if (rows.length < MOST_EVENTS)
          await rest(everyMs * (isWanted ? SOON_SHARE : quietLooks < QUIET_LOOKS ? 1 : QUIET_SHARE));
      } catch (error) {
        onFault?.(error);
        checkedMs = Number.NEGATIVE_INFINITY;
        await rest(AFTER_FAULT_MS);
      }
    }
    following = undefined;
  }

  function read(place: Place): Promise<EventRow[]> {
    const users = [...new Set([...listeners].flatMap(({ userId }) => userId ?? []))];
    return db.query<EventRow>('SELECT * FROM follow_events($1, $2, $3, $4)', [users, place.seq, MOST_EVENTS, SCANNED]);
  }

  async function tell(rows: readonly EventRow[]): Promise<void> {
    if (rows.length === 0) return;
    const events = await toEvents(
      db,
      rows.filter((row) => row.is_wanted),
    );
    const byPerson = new Map<string | undefined, Listener[]>();
    for (const one of listeners) byPerson.set(one.userId, [...(byPerson.get(one.userId) ?? []), one]);
    for (const event of events)
      for (const person of event.people) for (const one of byPerson.get(person) ?? []) one.hear(event);
    for (const one of byPerson.get(undefined) ?? []) one.hear(undefined);
  }

  const rest = (ms: number) => sleep(ms, undefined, { signal: closing.signal }).catch(() => {});

  function endAll(): void {
    for (const one of listeners) one.end();
    listeners.clear();
  }

  return {
    listen: (listener) =>
      new Promise((resolve) => {
        const stop = () => {
          listeners.delete(listener);
          newcomers = newcomers.filter((one) => one.listener !== listener);
        };
        if (closing.signal.aborted) {
          listener.end();
          resolve(stop);
          return;
        }
        newcomers.push({ listener, join: () => resolve(stop) });
        following ??= follow();
      }),
    get isClosed() {
      return closing.signal.aborted;
    },
    async close() {
      closing.abort();
      await following;
      for (const { listener, join } of newcomers.splice(0)) {
        join();
        listener.end();
      }
      endAll();
    },
  };
}
