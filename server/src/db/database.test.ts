import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cable, layCable } from '../../../test/support/database/cable.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
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
  it('gives bigint columns as BigInt', async () => {
    expect(await db.query('SELECT 9007199254740993::bigint AS n')).toEqual([{ n: 9007199254740993n }]);
  });

  it('keeps all of a transaction or nothing', async () => {
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

  it('runs a deadlocked transaction again', async () => {
    await db.query('INSERT INTO things VALUES (2), (3)');
    const lockBoth = (first: number, second: number) =>
      db.tx(async (tx) => {
        await tx.query('SELECT 1 FROM things WHERE n = $1 FOR UPDATE', [first]);
        await new Promise((done) => setTimeout(done, 100));
        await tx.query('SELECT 1 FROM things WHERE n = $1 FOR UPDATE', [second]);
        return 'done';
      });
    expect(await Promise.all([lockBoth(2, 3), lockBoth(3, 2)])).toEqual(['done', 'done']);
  });

  it('that goes away is service.unavailable, and recovers by itself', async () => {
    const during = db.tx(async (tx) => {
      await tx.query('SELECT 1');
      cable.cut();
      await tx.query('SELECT 1');
    });
    await expect(during).rejects.toMatchObject({ code: 'service.unavailable' });
    await expect(db.query('SELECT 1')).rejects.toMatchObject({ code: 'service.unavailable' });
    cable.mend();
    expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
