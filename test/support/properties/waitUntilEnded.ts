/**
 * Property (a): once all faults are gone, everything that has begun ends within a bounded number of steps: payments,
 * holds, coin moves, provider transfers, settlements, payouts and their rows, requests, refunds, arrivals, held logs,
 * jobs.
 *
 * Call it when no fault is switched on. A step lets workers work and the chain mine.
 */
import { PayError } from '../../../server/src/core/errors.ts';
import type { Queryable } from '../../../server/src/db/database.ts';
import { listUnended } from './listUnended.ts';

interface HealedWorld {
  readonly db: Queryable;
  step(): Promise<unknown>;
}

export interface EndOptions {
  readonly steps?: number;
  /** Ids that this story leaves to an operator or to a later time. They are not faults. */
  readonly leaves?: readonly string[];
}

/** Returns in words what has not ended; an empty list means no fault. */
export async function waitUntilEnded(
  { db, step }: HealedWorld,
  { steps = 60, leaves = [] }: EndOptions = {},
): Promise<string[]> {
  for (let taken = 0; ; taken++) {
    const unended = await listUnended(db).catch((error: unknown) => {
      // The database may be between two primaries.
      if (taken < steps && error instanceof PayError && error.code === 'service.unavailable') return undefined;
      throw error;
    });
    const open = unended?.filter(({ id }) => !leaves.includes(id));
    if (open?.length === 0) return [];
    if (open && taken === steps) return open.map(({ says }) => `${says} after ${steps} steps`);
    await step();
  }
}
