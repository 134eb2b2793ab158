/**
 * The owner's work on large tables that must not lock them: PostgreSQL builds and drops indexes outside a database
 * transaction while payments continue. Only one process at a time does this.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ADVISORY_LOCKS } from './advisoryLocks.ts';
import { connect } from './holdLock.ts';
import { becomeOwner, readPrefix } from './roles.ts';

export async function maintain(
  databaseUrl: string,
  work: (client: pg.Client, prefix: string) => Promise<void>,
): Promise<void> {
  const client = await connect(databaseUrl);
  try {
    // A session lock: a transaction that stays open would block concurrent index builds.
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      ADVISORY_LOCKS.finishUpgrade,
    ]);
    if (!rows[0]!.taken) throw new Error('another process is already building indexes');
    const prefix = await readPrefix(client);
    await becomeOwner(client, prefix);
    await work(client, prefix);
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}

/** Builds an index unless it exists. An invalid index is a leftover of an interrupted run. */
export async function buildIndex(client: pg.Client, name: string, definition: string): Promise<void> {
  const standing = await findIndex(client, name);
  if (standing === 'usable') return;
  if (standing === 'broken') await client.query(`DROP INDEX CONCURRENTLY ${name}`);
  await client.query(`CREATE UNIQUE INDEX CONCURRENTLY ${name} ON transfers ${definition}`);
}

export async function findIndex(client: pg.Client, name: string): Promise<'usable' | 'broken' | undefined> {
  const { rows } = await client.query<{ indisvalid: boolean }>(
    'SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  );
  return rows[0] && (rows[0].indisvalid ? 'usable' : 'broken');
}

/** How often to try for a lock that payments hold. */
const LOCK_ATTEMPTS = 50;

/**
 * Runs one database transaction. Payments may run at the same time, so it waits only half a second for a lock, then
 * rolls back and tries again. (After a whole second, PostgreSQL checks for deadlocks and could abort a payment.)
 */
export async function commit<T>(client: pg.Client, work: () => Promise<T>, attempts = LOCK_ATTEMPTS): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await client.query(`BEGIN; SET LOCAL lock_timeout = '500ms'`);
    try {
      const result = await work();
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      const isBusy = ['55P03', '40P01'].includes((error as { code?: string }).code ?? '');
      if (!isBusy || attempt >= attempts) throw error;
      await sleep(100 + Math.random() * 100);
    }
  }
}
