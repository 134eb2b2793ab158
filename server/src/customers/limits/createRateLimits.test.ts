import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../../test/support/database/useTestDatabase.ts';
import { type DedicatedConnection, openDedicatedConnection } from '../../db/openDedicatedConnection.ts';
import { createRateLimits, type RatePolicy } from './createRateLimits.ts';

const database = useTestDatabase();
const { db } = database;
let connection: DedicatedConnection;
beforeAll(() => {
  connection = openDedicatedConnection(database.url);
});
afterAll(() => connection.close());

const policy = (name: string, quota: number): RatePolicy => ({ name, quota, windowSeconds: 60 });

/** Counts the writes that it forwards. */
function counting(): Pick<DedicatedConnection, 'run'> & { writes: number } {
  const counted = {
    writes: 0,
    run: (...given: Parameters<DedicatedConnection['run']>) => {
      counted.writes++;
      return connection.run(...given);
    },
  };
  return counted;
}

const allowedOf = async (spendings: readonly unknown[]) =>
  (await Promise.all(spendings as Promise<{ allowed: boolean }>[])).filter(({ allowed }) => allowed).length;

describe('a rate limit', () => {
  it.each([1, 7, 10, 100])('of %i holds for three processes together, to the call', async (quota) => {
    const rule = policy(`together${quota}`, quota);
    const processes = [1, 2, 3].map(() => createRateLimits(connection));
    const calls = Array.from({ length: quota * 3 + 9 }, (_, i) => processes[i % 3]!.spend(rule, 'k'));
    expect(await allowedOf(calls)).toBe(quota);
  });

  it('costs one write per twentieth, then per tenth of it, and none once it is used up', async () => {
    const counted = counting();
    const limits = createRateLimits(counted);
    const rule = policy('cheap', 200);
    for (let i = 0; i < 200; i++) expect((await limits.spend(rule, 'k')).allowed).toBe(true);
    expect(counted.writes).toBe(11);
    expect((await limits.spend(rule, 'k')).allowed).toBe(false);
    const { writes } = counted;
    for (let i = 0; i < 100; i++) expect((await limits.spend(rule, 'k')).allowed).toBe(false);
    expect(counted.writes).toBe(writes);
    expect(writes).toBeLessThanOrEqual(12);
  });

  it('reports what is left and when there is more', async () => {
    const limits = createRateLimits(connection);
    const rule = policy('reported', 3);
    const results = [];
    for (let i = 0; i < 4; i++) results.push(await limits.spend(rule, 'k'));
    expect(results.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ]);
    for (const { resetSeconds } of results) {
      expect(resetSeconds).toBeGreaterThan(0);
      expect(resetSeconds).toBeLessThanOrEqual(60);
    }
  });

  it('counts every key separately', async () => {
    const limits = createRateLimits(connection);
    const rule = policy('apart', 1);
    expect(await allowedOf(['a', 'b', 'a', 'b', 'c'].map((key) => limits.spend(rule, key)))).toBe(3);
  });

  it('starts over with the next window', async () => {
    let now = 0;
    const limits = createRateLimits(connection, () => now);
    const rule = policy('anew', 2);
    expect(await allowedOf([1, 2, 3].map(() => limits.spend(rule, 'k')))).toBe(2);
    now = 61_000;
    // By this process's clock the window is over. PostgreSQL decides, and its window is still open.
    expect((await limits.spend(rule, 'k')).allowed).toBe(false);
    now = 122_000;
    await db.query(`UPDATE rate_windows SET ends_at = now() - interval '1 second' WHERE bucket = 'anew:k'`);
    expect(await allowedOf([1, 2, 3].map(() => limits.spend(rule, 'k')))).toBe(2);
  });

  it('reports without a statement what is left, until the window ends', async () => {
    let now = 0;
    const limits = createRateLimits(connection, () => now);
    const rule = policy('left', 2);
    const left: number[] = [];
    for (let i = 0; i < 3; i++) {
      left.push(limits.left(rule, 'k'));
      await limits.spend(rule, 'k');
    }
    expect([...left, limits.left(rule, 'k'), limits.left(rule, 'another')]).toEqual([2, 1, 0, 0, 2]);
    now = 61_000;
    expect(limits.left(rule, 'k')).toBe(2);
  });

  it('reports that the database is down, and recovers', async () => {
    let away = true;
    const shaky: Pick<DedicatedConnection, 'run'> = {
      run: (...given) => (away ? Promise.reject(new Error('away')) : connection.run(...given)),
    };
    const limits = createRateLimits(shaky);
    const rule = policy('shaky', 5);
    await expect(limits.spend(rule, 'k')).rejects.toThrow('away');
    away = false;
    expect((await limits.spend(rule, 'k')).allowed).toBe(true);
  });
});
