/**
 * The numbers of advisory locks, each for one purpose in a database. Functions in `sql/` cannot import them: 7310470 is
 * taken by `note_restore`, 7310472 by `commit_signatures`; 7310471 is the seed of `key_lock`. Locks of two numbers (`lockNonces`) and those made from a
 * topic's name (`lock_topic`) or a key's id (`key_lock`) are apart.
 */
export const ADVISORY_LOCKS = {
  migrate: 7_310_468,
  /** Not that of migrations: building waits for statements that began before, also for one that waits for a lock. */
  finishUpgrade: 7_310_469,
} as const;
