import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../../test/support/database.ts';
import { type Db, openDatabase } from '../database.ts';
import { createIdMarks } from './idMarks.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

describe('the Bloom filter of ids', () => {
  it('follows a rule that never changes', async () => {
    const id = '8ba1f109-551b-4d43-a803-012645ac136d';
    const ask = async (marks: readonly number[]) => {
      const bits = Buffer.alloc(8_064);
      for (const bit of marks) bits[bit >> 3]! |= 1 << (bit & 7);
      const [row] = await db.query('SELECT id_group($1, 1000) AS group_no, has_marks($1, $2) AS has', [id, bits]);
      return row;
    };
    const marks = [289, 17_557, 4_895];
    expect(await ask(marks)).toEqual({ group_no: 0x09551b % 1000, has: true });
    for (const missing of marks)
      expect(await ask(marks.filter((bit) => bit !== missing))).toMatchObject({ has: false });
  });

  it('is written here as PostgreSQL reads it, and rarely gives a false positive', async () => {
    const marks = createIdMarks(50_000);
    const ids = Array.from({ length: 50_000 }, () => randomUUID());
    marks.add(Buffer.from(ids.join('').replaceAll('-', ''), 'hex'));
    expect(marks.groups).toBe(7);
    const groups = Array.from({ length: marks.groups }, (_, group) => marks.bitsOf(group));
    const count = async (some: readonly string[]) => {
      const [row] = await db.query<{ count: number }>(
        `SELECT count(*)::int FROM unnest($1::uuid[]) AS id
          WHERE has_marks(id, ($2::bytea[])[1 + id_group(id, cardinality($2::bytea[]))])`,
        [some, groups],
      );
      return row!.count;
    };
    const some = ids.slice(0, 2_000);
    expect(await count(some)).toBe(2_000);
    const others = await count(some.map(() => randomUUID()));
    expect(others).toBeGreaterThan(0);
    expect(others).toBeLessThan(200);
  });
});
