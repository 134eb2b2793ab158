import pg from 'pg';

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof pg.DatabaseError && codes.includes(error.code ?? '');

/** 40P01: deadlock. 40001: serialization failure. PostgreSQL rolled the transaction back, and it can simply run again. */
export const isDeadlock = (error: unknown): boolean => hasCode(error, '40P01', '40001');

/**
 * Whether a statement failed because of concurrent work and can simply run again. 23505: another process is committing
 * the same id. In a transaction of several statements, a violated unique constraint is often an answer instead.
 */
export const isConflict = (error: unknown): boolean => isDeadlock(error) || hasCode(error, '23505');
