import { PayError } from '../../core/errors.ts';
import type { Db } from '../../db/database.ts';
import { openRateLimiter, type Priority } from './rateLimiter.ts';

/** The most queries per second that Circle answers, for all callers together. */
const PER_SECOND = 20;
const PATIENCE_MS = 1_500;

/**
 * Resolves when the rate limiter allows the query; throws `service.unavailable` when too many wait. All processes share
 * the limit.
 */
export function openLookups(db: Db, patienceMs = PATIENCE_MS): (haste: Priority) => Promise<void> {
  const turns = openRateLimiter(db, 'circle: lookups', PER_SECOND);
  return async (haste) => {
    if (await turns.take(haste, performance.now() + patienceMs)) return;
    throw new PayError('service.unavailable', { dependency: 'Circle' }, { cause: new Error('too many ask Circle') });
  };
}
