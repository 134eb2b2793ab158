import type { Queryable } from '../db/database.ts';
import type { Follower } from './openFollower.ts';
import type { Place } from './place.ts';
import { type FeedEvent, readFeed } from './readFeed.ts';

interface StreamQuery {
  readonly userId: string;
  readonly after: Place;
  /** Undefined: all. */
  readonly types: readonly string[] | undefined;
  /** How long nothing is yielded at most. */
  readonly beatMs: number;
  /** Called with what ends the stream, whatever it does at the moment. */
  readonly onOpen: (end: () => void) => void;
}

/** What one stream keeps of events that its reader has not taken. Beyond it they are read again from the database. */
const MOST_KEPT = 64;
const PAGE = 100;

/**
 * One person's events as they come, in order, without a gap; undefined is a sign of life. First what is readable, from the
 * database; then what the process's follower hears. Who reads too slowly holds a few events and no more: the rest is read
 * from the database when they get to it.
 */
export async function* streamEvents(
  { db, follower }: { readonly db: Queryable; readonly follower: Follower },
  { userId, after, types, beatMs, onOpen }: StreamQuery,
): AsyncGenerator<FeedEvent | undefined, void, void> {
  const queue = createQueue();
  const { joined, stop } = follower.listen({ userId, hear: (event) => event && queue.put(event), end: queue.end });
  onOpen(() => {
    queue.end();
    stop();
  });
  try {
    await joined;
    let place = after;
    while (!queue.isEnded) {
      queue.empty();
      for (let isAll = false; !isAll && !queue.isEnded; ) {
        const page = await readFeed(db, { userId, after: place, types, limit: PAGE });
        for (const event of page.events) {
          if (queue.isEnded) return;
          yield event;
        }
        place = page.next;
        isAll = page.isAll;
      }
      while (!queue.isBehind && !queue.isEnded) {
        const event = await queue.take(beatMs);
        if (queue.isEnded) return;
        // What was read from the database is heard, too.
        if (event && event.place.seq <= place.seq) continue;
        if (event) place = event.place;
        if (!event && queue.isBehind) break;
        if (!event || !types || types.includes(event.type)) yield event;
      }
    }
  } finally {
    stop();
  }
}

function createQueue() {
  const kept: FeedEvent[] = [];
  let isBehind = false;
  let isEnded = false;
  let wake: (() => void) | undefined;
  return {
    put(event: FeedEvent): void {
      if (kept.length >= MOST_KEPT) isBehind = true;
      else if (!isBehind) kept.push(event);
      wake?.();
    },
    /** From now on everything is kept again. */
    empty(): void {
      kept.length = 0;
      isBehind = false;
    },
    end(): void {
      isEnded = true;
      wake?.();
    },
    /** Events were left out. */
    get isBehind() {
      return isBehind;
    },
    get isEnded() {
      return isEnded;
    },
    /** The next event; undefined when none comes in time, or it has ended, or events were left out. */
    async take(ms: number): Promise<FeedEvent | undefined> {
      if (kept.length === 0 && !isEnded && !isBehind) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = undefined;
      }
      return kept.shift();
    },
  };
}
