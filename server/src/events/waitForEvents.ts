import type { Queryable } from '../db/database.ts';
import type { Follower } from './openFollower.ts';
import { type FeedQuery, readFeed } from './readFeed.ts';

/** Reads a page. If the page is empty, waits for events until `until` is aborted; without `until` it does not wait. */
export async function waitForEvents(
  { db, follower }: { readonly db: Queryable; readonly follower: Follower },
  query: FeedQuery,
  until?: AbortSignal,
): ReturnType<typeof readFeed> {
  let page = await readFeed(db, query);
  if (page.events.length > 0 || !until || until.aborted) return page;
  const news = createNews();
  let isOver = false;
  const end = () => {
    isOver = true;
    news.come();
  };
  const { joined, stop } = follower.listen({ userId: query.userId, hear: news.come, end });
  const leave = () => {
    stop();
    end();
  };
  until.addEventListener('abort', leave);
  try {
    await joined;
    while (!isOver && page.events.length === 0) {
      news.forget();
      page = await readFeed(db, { ...query, after: page.next });
      if (page.isAll && page.events.length === 0 && !isOver) await news.wait();
    }
    return page;
  } finally {
    until.removeEventListener('abort', leave);
    stop();
  }
}

/** Whether an event has arrived since the last reset. */
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
    async wait(): Promise<void> {
      if (hasCome) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      wake = undefined;
    },
  };
}
