import type { Queryable } from '../../db/database.ts';

/**
 * An endpoint with this many undelivered events gets no new deliveries; further events stay in the feed until the
 * backlog shrinks.
 */
const MOST_WAITING = 10_000;
/** How often to recount the backlog of an endpoint that had too many. */
const COUNT_EVERY_MS = 1_000;
/** Bounds the memory used for endpoints that no longer exist. */
const MOST_REMEMBERED = 1_000;

/**
 * The number of undelivered events of each endpoint. It is counted only when the limit may be reached, not at every
 * poll.
 */
export interface Backlogs {
  /** Whether more deliveries may be written for the endpoint. */
  hasRoom(endpointId: string): Promise<boolean>;
  /** Adds the number of deliveries just written (an upper bound). */
  add(endpointId: string, count: number): void;
}

export function openBacklogs(db: Queryable): Backlogs {
  /** `most` is an upper bound: written deliveries are added, completed ones are not subtracted. */
  const known = new Map<string, { most: number; readonly countedMs: number }>();
  return {
    async hasRoom(endpointId) {
      const last = known.get(endpointId);
      if (last && last.most < MOST_WAITING) return true;
      if (last && performance.now() - last.countedMs < COUNT_EVERY_MS) return false;
      const [row] = await db.query<{ waiting: number }>(
        `SELECT count(*)::integer AS waiting FROM (SELECT FROM webhook_deliveries
          WHERE endpoint_id = $1 AND due_at IS NOT NULL LIMIT $2) w`,
        [endpointId, MOST_WAITING],
      );
      if (known.size >= MOST_REMEMBERED) known.clear();
      known.set(endpointId, { most: row!.waiting, countedMs: performance.now() });
      return row!.waiting < MOST_WAITING;
    },
    add(endpointId, count) {
      const last = known.get(endpointId);
      if (last) last.most += count;
    },
  };
}
