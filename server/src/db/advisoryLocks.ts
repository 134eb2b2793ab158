/**
 * The numbers of advisory locks, each for one purpose in a database. Only the owner's commands use them, because these
 * start before any tables exist. Every login can take an advisory lock, so the service's processes never wait for one.
 */
export const ADVISORY_LOCKS = {
  migrate: 7_310_468,
  /**
   * A separate lock from `migrate`: building an index waits for all earlier statements, including one that waits for a
   * lock.
   */
  finishUpgrade: 7_310_469,
} as const;
