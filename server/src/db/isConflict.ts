import pg from 'pg';

/** 23505: another process is committing the same id. 40P01: deadlock. 40001: serialization failure. */
const CONFLICTS: ReadonlySet<string> = new Set(['23505', '40P01', '40001']);

/** Whether a statement failed because of concurrent work and can simply run again. */
export const isConflict = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && CONFLICTS.has(error.code ?? '');
