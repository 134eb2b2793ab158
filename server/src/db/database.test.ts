import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cable, layCable } from '../../../test/support/database/cable.ts';
import { createTestDatabase, runAsAdmin } from '../../../test/support/database.ts';
import { type Db, findViolatedConstraint, openDatabase } from './database.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Db;
let cable: Cable;

beforeAll(async () => {
  database = await createTestDatabase();
  cable = await layCable(database.adminUrl);
  db = openDatabase(cable.url, { maxConnections: 4 });
  await db.query('CREATE TABLE things (n bigint PRIMARY KEY, CONSTRAINT small CHECK (n < 10))');
});
afterAll(async () => {
  await db.close();
  await cable.remove();
  await database.drop();
});

describe('the database', () => {
  it('returns bigint columns as BigInt', async () => {
    expect(await db.query('SELECT 9007199254740993::bigint AS n')).toEqual([{ n: 9007199254740993n }]);
  });

  it('commits all of a transaction or nothing', async () => {
    const failing = db.tx(async (tx) => {
      await tx.query('INSERT INTO things VALUES (1)');
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await db.query('SELECT 1 FROM things')).toEqual([]);
  });

  it('names the constraint that refused a row', async () => {
    const error = await db.query('INSERT INTO things VALUES (11)').catch((refused) => refused);
    expect(findViolatedConstraint(error)).toBe('small');
    expect(findViolatedConstraint(new Error('other'))).toBeUndefined();
  });

  it('retries a deadlocked transaction', async () => {
    await db.query('INSERT INTO things VALUES (2), (3)');
    let held = 0;
    let release = () => {};
    const bothHold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const lockBoth = (first: number, second: number) =>
      db.tx(async (tx) => {
        await tx.query('SELECT 1 FROM things WHERE n = $1 FOR UPDATE', [first]);
        if (++held === 2) release();
        await bothHold;
        await tx.query('SELECT 1 FROM things WHERE n = $1 FOR UPDATE', [second]);
        return 'done';
      });
    expect(await Promise.all([lockBoth(2, 3), lockBoth(3, 2)])).toEqual(['done', 'done']);
    expect(held).toBeGreaterThan(2);
  });

  it('retries a deadlocked statement', async () => {
    await db.query('INSERT INTO things VALUES (-1), (-2), (-3)');
    const lockBoth = (first: number, second: number) =>
      db.query(`DO $$ BEGIN
        PERFORM FROM things WHERE n = ${first} FOR UPDATE;
        PERFORM FROM things WHERE n = -3 FOR SHARE;
        PERFORM FROM things WHERE n = ${second} FOR UPDATE;
      END $$`);
    // Row -3 stops both until each holds its first row.
    const both = await db.tx(async (tx) => {
      await tx.query('SELECT FROM things WHERE n = -3 FOR UPDATE');
      const all = Promise.all([lockBoth(-1, -2), lockBoth(-2, -1)]);
      all.catch(() => {});
      // A transaction would see one snapshot of the activity.
      const countWaiting = async () =>
        (await db.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`))
          .length;
      while ((await countWaiting()) < 2);
      return { all };
    });
    expect(await both.all).toEqual([[], []]);
  });

  it('that goes away is service.unavailable, and recovers by itself', async () => {
    const during = db.tx(async (tx) => {
      await tx.query('SELECT 1');
      cable.cut();
      await tx.query('SELECT 1');
    });
    await expect(during).rejects.toMatchObject({ code: 'service.unavailable' });
    await expect(db.query('SELECT 1')).rejects.toMatchObject({ code: 'service.unavailable' });
    cable.restore();
    expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  describe('that becomes read-only, like a demoted primary', () => {
    const setReadOnly = (isOn: boolean) =>
      runAsAdmin(
        `ALTER DATABASE ${name()} ${isOn ? 'SET' : 'RESET'} default_transaction_read_only${isOn ? ' = on' : ''}`,
      );
    const name = () => new URL(database.adminUrl).pathname.slice(1);

    it('is abandoned: no connection to it is used again', async () => {
      await setReadOnly(true);
      const demoted = openDatabase(database.adminUrl, { maxConnections: 2 });
      const write = (n: number) => demoted.tx((tx) => tx.query('INSERT INTO things VALUES ($1)', [n]));
      await Promise.all([demoted.query('SELECT pg_sleep(0.1)'), demoted.query('SELECT pg_sleep(0.1)')]);
      await expect(write(4)).rejects.toMatchObject({ code: 'service.unavailable' });
      await setReadOnly(false);
      await write(4);
      await write(5);
      await demoted.close();
    });

    it('is waited for by patient callers', async () => {
      await setReadOnly(true);
      const patient = openDatabase(database.adminUrl, { maxConnections: 2, patienceMs: 120_000 });
      const writing = [6, 7].map((n) => patient.tx((tx) => tx.query('INSERT INTO things VALUES ($1)', [n])));
      const asking = patient.query('INSERT INTO things VALUES (8)');
      await setReadOnly(false);
      await Promise.all([...writing, asking]);
      expect(await patient.query('SELECT n FROM things WHERE n >= 6 ORDER BY n')).toEqual([
        { n: 6n },
        { n: 7n },
        { n: 8n },
      ]);
      await patient.close();
    });
  });

  it('is waited for while it cannot be reached, by patient callers', async () => {
    cable.cut();
    const patient = openDatabase(cable.url, { patienceMs: 120_000 });
    const answer = patient.query('SELECT 1 AS one');
    const impatient = openDatabase(cable.url);
    await expect(impatient.query('SELECT 1')).rejects.toMatchObject({ code: 'service.unavailable' });
    cable.restore();
    expect(await answer).toEqual([{ one: 1 }]);
    await Promise.all([patient.close(), impatient.close()]);
  });
});
