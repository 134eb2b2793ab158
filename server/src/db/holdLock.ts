import pg from 'pg';
import type { ADVISORY_LOCKS } from './advisoryLocks.ts';
import { openHosts } from './hosts.ts';

type LockNumber = (typeof ADVISORY_LOCKS)[keyof typeof ADVISORY_LOCKS];

/**
 * Runs the work while a database transaction on a separate connection holds an advisory lock. It does not use a session
 * lock: behind a pooler the session belongs to the pooler, which would keep the lock after we disconnect, and every
 * later start would hang. Returns false if another process held the lock for all of `patienceMs`.
 */
export async function holdLock(
  databaseUrl: string,
  lock: LockNumber,
  patienceMs: number,
  work: () => Promise<void>,
): Promise<boolean> {
  const client = await connect(databaseUrl);
  try {
    // The lock is held for as long as the work takes.
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${patienceMs}; SET LOCAL statement_timeout = 0;
                        SET LOCAL idle_in_transaction_session_timeout = 0`);
    if (!(await take(client, lock))) return false;
    await work();
    return true;
  } finally {
    await client.query('ROLLBACK').catch(() => {});
    await client.end();
  }
}

/** Opens a connection to the host that takes writes, outside the pool. */
export async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: await openHosts(databaseUrl).find(),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function take(client: pg.Client, lock: LockNumber): Promise<boolean> {
  try {
    // No parameters: after a statement with parameters, the driver's portal keeps its snapshot open until the next
    // statement, so vacuum could not clean up while the work runs.
    await client.query(`SELECT pg_advisory_xact_lock(${lock})`);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === '55P03') return false;
    throw error;
  }
}
