/** M28: how long a payout waits, and how large it may be. */
import { beforeAll, expect, it } from 'vitest';
import { renderPayout } from '../../server/src/http/payouts/renderPayout.ts';
import { useTestDatabase } from '../support/database/useTestDatabase.ts';
import { asAdmin } from '../support/database.ts';
import { nameOperators } from '../support/operators.ts';
import { createPerson } from '../support/payments.ts';
import { drivePayouts } from '../support/payouts/drivePayouts.ts';
import { giveTreasury } from '../support/payouts/giveTreasury.ts';
import { makeKey, type PayoutKey, treasuryUpTo } from '../support/payouts/makeKey.ts';

const LARGEST = '999999999.999999';
const database = useTestDatabase();
const { db } = database;
let key: PayoutKey;
const { tryCheck, check, confirm, approve, run, rows, get } = drivePayouts(database, () => key);

beforeAll(async () => {
  await giveTreasury(database.url, '1');
  await db.query('SELECT ledger_set_home_asset(asset_id) FROM assets');
  await nameOperators(database.url, { rita: 'risk', rolf: 'risk' });
  for (const name of ['ann', 'ben']) await createPerson(db, name);
  key = await makeKey(database.url, 'robot', ...treasuryUpTo(LARGEST));
});

it('M28: a payout that is approved late waits for money from then on', async () => {
  const id = await check('late-1,ann,1,\nlate-2,ben,1,\n');
  expect(await confirm(id, 0n)).toBe('approving');
  const shown = renderPayout(await get(id)).waits_until;
  await asAdmin(database.url, `UPDATE payouts SET waits_until = now() - interval '1 day' WHERE payout_id = $1`, [id]);
  await approve(id);
  await run(id);
  expect(await rows(id)).toEqual(['paid', 'ready']);
  expect(await get(id)).toMatchObject({ state: 'waiting', waitsFor: { code: 'balance.insufficient' } });
  expect([shown, renderPayout(await get(id)).waits_until]).toEqual([null, expect.any(String)]);
  await giveTreasury(database.url, '1');
  expect(await run(id)).toBe('done');
  expect(await rows(id)).toEqual(['paid', 'paid']);
});

it('M28: a file may pay more than any single payment, up to the ledger’s maximum', async () => {
  const file = (count: number) =>
    Array.from({ length: count }, (_, i) => `large-${count}-${i},${i % 2 ? 'ann' : 'ben'},${LARGEST},\n`).join('');
  const id = await check(file(3));
  expect(renderPayout(await get(id)).total).toBe('2999999999.999997');
  expect(await confirm(id, 0n)).toBe('approving');
  expect(await tryCheck(file(10_000))).toEqual(['total.too_large']);
});
