import type { Queryable } from '../db/database.ts';
import { type FeedPosition, parseEventId, START } from './feedPosition.ts';

/** The last event that is too old to be read, or the start of the feed. The readable feed begins after it. */
type Horizon = () => Promise<FeedPosition>;

const DAY_MS = 86_400_000;
const FIND_EVERY_MS = 60_000;

/** Deletes nothing: events are rows of payments, requests and checks. If `keptDays` is 0, all events can be read. */
export function openHorizon(db: Queryable, keptDays: number): Horizon {
  if (keptDays === 0) return async () => START;
  let found: Promise<FeedPosition> | undefined;
  let foundMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (!found || performance.now() - foundMs > FIND_EVERY_MS) {
      foundMs = performance.now();
      found = findHorizon(db, keptDays);
      found.catch(() => {
        found = undefined;
      });
    }
    return found;
  };
}

async function findHorizon(db: Queryable, keptDays: number): Promise<FeedPosition> {
  const oldest = new Date(Date.now() - keptDays * DAY_MS);
  const [event] = await db.query<{ event_id: string }>('SELECT event_id FROM event_before($1)', [oldest]);
  return event ? parseEventId(event.event_id) : START;
}
