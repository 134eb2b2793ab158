/**
 * The numbers of advisory locks, each for one purpose in a database. Only the owner's commands use them, which begin before
 * there are tables. Every login can take an advisory lock, so nothing that processes do waits for one.
 */
export const ADVISORY_LOCKS = {
  migrate: 7_310_468,
  /** Not that of migrations: building waits for statements that began before, also for one that waits for a lock. */
  finishUpgrade: 7_310_469,
} as const;
