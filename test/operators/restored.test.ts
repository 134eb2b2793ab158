/** A restored database: what existed before the restore is not trusted until an operator has checked it. */
import { expect, it } from 'vitest';
import { ADVISORY_LOCKS } from '../../server/src/db/advisoryLocks.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { asAdmin, createTestDatabase, runAsAdmin } from '../support/database.ts';

it('notices by itself that it is a copy, once, and records a known restore only once', async () => {
  const database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  const server = openDatabase(database.urlOf('server'), { maxConnections: 1 });
  const check = async (db: typeof server) =>
    (await db.query<{ copy: boolean }>('SELECT check_identity() AS copy'))[0]!.copy;
  expect([await check(server), await check(server)]).toEqual([false, false]);
  await server.close();
  await runAsAdmin(`CREATE DATABASE ${name}_old TEMPLATE ${name}`);
  const copied = new URL(database.urlOf('server'));
  copied.pathname = `/${name}_old`;
  const copy = openDatabase(copied.href, { maxConnections: 1 });
  const upgrade = openDatabase(copied.href, { maxConnections: 1 });
  try {
    expect([await check(copy), await check(copy)]).toEqual([true, false]);
    const note = async (goodUntil: Date | null) =>
      (await copy.query<{ noted: boolean }>(`SELECT note_restore('a test', $1) AS noted`, [goodUntil]))[0]!.noted;
    // A process that last saw the database intact before that restore has seen the same one.
    expect(await note(new Date(Date.now() - 60_000))).toBe(false);
    expect(await note(new Date(Date.now() + 60_000))).toBe(true);
    // Finishing an upgrade may take minutes, and must not keep a process from recording it.
    await copy.query(`SET lock_timeout = '5s'`);
    await upgrade.tx(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.finishUpgrade]);
      expect(await note(null)).toBe(true);
    });
    expect(await copy.query('SELECT FROM restores')).toHaveLength(3);
    const entries = await copy.query<{ actor: string }>(
      `SELECT actor FROM audit_log WHERE action = 'database.restored'`,
    );
    expect(entries).toHaveLength(3);
    // The service records it, also for an operator, who has an entry of their own.
    expect(entries.every(({ actor }) => actor.startsWith('service:'))).toBe(true);
    await expect(copy.query(`SELECT confirm_restore('keys')`)).rejects.toThrow(/permission denied/);
    await expect(copy.query('DELETE FROM restores')).rejects.toThrow(/permission denied/);
    const read = async () =>
      (
        await asAdmin<{ keys: boolean; sessions: boolean }>(
          copied.href,
          `SELECT credentials_from('keys') > '-infinity' AS keys, credentials_from('sessions') > '-infinity' AS sessions`,
        )
      )[0];
    expect(await read()).toEqual({ keys: true, sessions: true });
    await asAdmin(copied.href, `SELECT confirm_restore('keys')`);
    expect(await read()).toEqual({ keys: false, sessions: true });
  } finally {
    await copy.close();
    await upgrade.close();
    await runAsAdmin(`DROP DATABASE ${name}_old WITH (FORCE)`);
    await database.drop();
  }
});
