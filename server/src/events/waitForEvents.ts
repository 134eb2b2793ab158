import type { Queryable } from '../db/database.ts';
import type { Follower } from './openFollower.ts';
import { type FeedQuery, readFeed } from './readFeed.ts';

/** How often a waiting call looks whether its caller is still there. */
const LOOK_EVERY_MS = 5_000;

/** Reads a page, and when it is empty waits until it is not, the time is over, or the caller has hung up. */
export async function waitForEvents(
  { db, follower }: { readonly db: Queryable; readonly follower: Follower },
  query: FeedQuery,
  waitMs: number,
  isGone: () => boolean,
): ReturnType<typeof readFeed> {
  const until = performance.now() + waitMs;
  let page = await readFeed(db, query);
  if (page.events.length > 0 || waitMs <= 0) return page;
  const news = createNews();
  const stop = await follower.listen({ userId: query.userId, hear: news.come, end: news.come });
  try {
    for (;;) {
      news.forget();
      page = await readFeed(db, { ...query, after: page.next });
      const leftMs = until - performance.now();
      if (page.events.length > 0 || leftMs <= 0 || isGone() || follower.isClosed) return page;
      if (page.isAll) await news.wait(Math.min(leftMs, LOOK_EVERY_MS));
    }
  } finally {
    stop();
  }
}

/** Whether something has come since it was last forgotten. */
function createNews() {
  let hasCome = false;
  let wake: (() => void) | undefined;
  return {
    come(): void {
      hasCome = true;
      wake?.();
    },
    forget(): void {
      hasCome = false;
    },
    async wait(ms: number): Promise<void> {
      if (hasCome) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wake = undefined;
    },
  };
}
