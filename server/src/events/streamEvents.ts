import type { Queryable } from '../db/database.ts';
import type { FeedPosition } from './feedPosition.ts';
import type { Follower } from './openFollower.ts';
import { type FeedEvent, readFeed } from './readFeed.ts';

interface StreamQuery {
  readonly userId: string;
  readonly after: FeedPosition;
  /** Undefined: all types. */
  readonly types: readonly string[] | undefined;
  /** The longest time without a yield. */
  readonly beatMs: number;
  /** Receives a function that ends the stream. The caller can call it at any time. */
  readonly onOpen: (end: () => void) => void;
}

/** The most undelivered events that one stream keeps in memory. Later events are read again from the database. */
const MOST_KEPT = 64;
const PAGE = 100;

/**
 * Yields one person's events in order, without gaps; undefined is a heartbeat. It first reads the existing events from
 * the database, then receives new ones from the process's follower. For a slow reader, the stream keeps only a few
 * events and reads the rest from the database when the reader gets to them.
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
        // The follower also reports events that were just read from the database.
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
    /** Keep all events again from here on. */
    empty(): void {
      kept.length = 0;
      isBehind = false;
    },
    end(): void {
      isEnded = true;
      wake?.();
    },
    /** Some events were not kept. */
    get isBehind() {
      return isBehind;
    },
    get isEnded() {
      return isEnded;
    },
    /** The next event; undefined if none arrives in time, if the stream has ended, or if events were not kept. */
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
