import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../../test/support/database/useTestDatabase.ts';
import { asAdmin } from '../../../../test/support/database.ts';
import { openRateLimiter } from './rateLimiter.ts';

const database = useTestDatabase();
const { db } = database;
const soon = () => performance.now() + 300;
const late = () => performance.now() + 60_000;

const countOf = async (turns: readonly Promise<boolean>[]) => (await Promise.all(turns)).filter(Boolean).length;
/** Asks the database directly, so the result does not depend on the speed of this machine. */
async function take(bucket: string, wanted: number, yielding: number): Promise<[number, number]> {
  const [row] = await db.query<{ granted: number; granted_yielding: number }>(
    `SELECT * FROM take_turns($1, '1 hour', 10, 6, $2, $3)`,
    [bucket, wanted, yielding],
  );
  return [row!.granted, row!.granted_yielding];
}

describe('requests to a rate-limited provider', () => {
  it('are ten at most, and yielding requests get six of them', async () => {
    expect(await take('ten', 3, 0)).toEqual([3, 0]);
    expect(await take('ten', 0, 20)).toEqual([0, 6]);
    expect(await take('ten', 0, 20)).toEqual([0, 0]);
    expect(await take('ten', 20, 20)).toEqual([1, 0]);
    expect(await take('ten', 20, 20)).toEqual([0, 0]);
  });

  it('are available again when the time is over, also after a clock was set back', async () => {
    expect(await take('back', 10, 0)).toEqual([10, 0]);
    await asAdmin(
      database.url,
      `UPDATE provider_turns SET taken = ARRAY[now() - interval '61 minutes', now() + interval '1 hour'] WHERE bucket = 'back'`,
    );
    expect(await take('back', 20, 0)).toEqual([10, 0]);
  });

  it('are shared by all concurrent processes', async () => {
    const granted = await Promise.all(Array.from({ length: 8 }, () => take('shared', 5, 5)));
    expect(granted.flat().reduce((sum, one) => sum + one)).toBe(10);
  });

  it('are waited for, each up to its own limit', async () => {
    const [one, other] = [openRateLimiter(db, 'patient', 10), openRateLimiter(db, 'patient', 10)];
    const patient = Array.from({ length: 14 }, (_, i) => (i % 2 ? one : other).take('first', late()));
    const impatient = Array.from({ length: 20 }, () => one.take('yielding', soon()));
    expect(await countOf(patient)).toBe(14);
    expect(await countOf(impatient)).toBeLessThanOrEqual(6);
  });

  it('are all allowed without a limit', async () => {
    const free = openRateLimiter(db, 'free', undefined);
    expect(await countOf(Array.from({ length: 50 }, () => free.take('yielding', 0)))).toBe(50);
  });

  it('fail with the database, and work again after it', async () => {
    let isAway = true;
    const broken = {
      ...db,
      query: ((text: string, values: unknown[]) =>
        isAway ? Promise.reject(new Error('away')) : db.query(text, values)) as typeof db.query,
    };
    const turns = openRateLimiter(broken, 'away', 10);
    await expect(turns.take('first', late())).rejects.toThrow('away');
    isAway = false;
    expect(await turns.take('first', late())).toBe(true);
  });
});
