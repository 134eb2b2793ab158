import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../../test/support/database/useTestDatabase.ts';
import { circleProvider } from '../../adapters/wallets/circle/circleProvider.ts';
import type { Db } from '../../db/database.ts';
import { openLookups } from './openLookups.ts';

const { db } = useTestDatabase();

/** A database that grants the given numbers and records the requests. */
function granting(answers: { granted: number; granted_yielding: number }[]) {
  const asked: unknown[][] = [];
  const query = async (_: string, values: readonly unknown[]) => {
    asked.push([...values]);
    return [answers.shift() ?? { granted: 0, granted_yielding: 0 }];
  };
  return { asked, db: { query } as unknown as Db };
}

it('takes from the twenty lookups that all processes share; polls may take twelve', async () => {
  const { asked, db } = granting([{ granted: 1, granted_yielding: 0 }]);
  await openLookups(db, circleProvider)('first');
  const [bucket, , limit, yielding] = asked[0]!;
  expect([bucket, limit, yielding]).toEqual(['circle: lookups', 20, 12]);
});

it('says that Circle is away when its turn does not come', async () => {
  const lookups = openLookups(granting([]).db, circleProvider, 1);
  await expect(lookups('yielding')).rejects.toMatchObject({ code: 'service.unavailable' });
});

it('waits until a lookup becomes free', async () => {
  const later = granting([
    { granted: 0, granted_yielding: 0 },
    { granted: 0, granted_yielding: 0 },
    { granted: 0, granted_yielding: 1 },
  ]);
  await openLookups(later.db, circleProvider, 60_000)('yielding');
  expect(later.asked).toHaveLength(3);
});

it('has no more than twenty, however many signers ask, and always some for pending sends', async () => {
  // A window so long that the speed of this machine does not matter.
  const take = async (first: number, yielding: number) => {
    const [row] = await db.query<{ granted: number; granted_yielding: number }>(
      `SELECT * FROM take_turns('circle: lookups', '1 hour', 20, 12, $1, $2)`,
      [first, yielding],
    );
    return [row!.granted, row!.granted_yielding];
  };
  expect(await take(0, 30)).toEqual([0, 12]);
  expect(await take(0, 30)).toEqual([0, 0]);
  const granted = await Promise.all(Array.from({ length: 6 }, () => take(3, 3)));
  expect(granted.flat().reduce((sum, one) => sum + one)).toBe(8);
});
