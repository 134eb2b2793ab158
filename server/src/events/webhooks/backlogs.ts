import type { Queryable } from '../../db/database.ts';

/** An endpoint with so many events still to be sent gets no further ones; they stay in the feed until then. */
const MOST_WAITING = 10_000;
/** How often those of an endpoint that had too many are counted again. */
const COUNT_EVERY_MS = 1_000;
/** What a process remembers about endpoints that do not exist any more. */
const MOST_REMEMBERED = 1_000;

/** How many events wait for each endpoint. They are counted only when there may be too many, and not at every look. */
export interface Backlogs {
  /** Whether more may be written for it. */
  hasRoom(endpointId: string): Promise<boolean>;
  /** So many were written for it, at most. */
  add(endpointId: string, count: number): void;
}

export function openBacklogs(db: Queryable): Backlogs {
  /** `most`: what may wait at most, because only what was written is added. */
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
