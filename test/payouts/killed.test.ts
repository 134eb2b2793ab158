/** A payout to people and addresses whose worker is killed again and again, on a chain in this process. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Hex } from '../../server/src/core/ports.ts';
import { openDestinations } from '../../server/src/payments/destinations/openDestinations.ts';
import { checkPayout } from '../../server/src/payments/payouts/checkPayout.ts';
import { cancelPayout, confirmPayout } from '../../server/src/payments/payouts/decidePayout.ts';
import { parseCsvRows } from '../../server/src/payments/payouts/parseRows.ts';
import { getPayout } from '../../server/src/payments/payouts/payout.ts';
import { runPayouts } from '../../server/src/payments/payouts/runPayouts.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { judgePayout } from '../support/payouts/judgePayout.ts';
import { killPayout } from '../support/payouts/killPayout.ts';
import { makeKey, type PayoutKey } from '../support/payouts/makeKey.ts';
import { HOME } from '../support/values.ts';

const PEOPLE = ['ann', 'ben', 'cem'];
let world: CustodyWorld;
let key: PayoutKey;

beforeAll(async () => {
  world = await startCustody();
  await world.db.query('SELECT ledger_set_home_asset($1)', [world.usdc.assetId]);
  await world.fund({ ann: '0', ben: '0', cem: '0', treasury: '100' });
  key = await makeKey(world.databaseUrl, 'robot');
});
afterAll(() => world.stop());

const caller = () => ({ keyId: key.keyId, certificate: undefined, client: '127.0.0.1' });
const check = (csv: Buffer) =>
  checkPayout(
    { db: world.db, homeBlockchain: HOME, places: openDestinations([world.chain], 'USDC') },
    {
      ...caller(),
      currency: 'USDC',
      payer: undefined,
      onShortage: 'wait',
      file: { contentType: 'text/csv', bytes: csv },
      parsed: parseCsvRows(csv),
    },
  );

it('pays every row once although it is killed five times', async () => {
  const killed = await killPayout(world, key, { rows: 24, kills: 5, people: PEOPLE });
  expect(killed.deaths).toHaveLength(5);
  expect(await judgePayout(world, killed)).toEqual([]);
  expect(await world.faults()).toEqual([]);
});

it('cancelled while it runs, finishes what it has begun and nothing else', async () => {
  const [first, second, large] = [randomAddress(), randomAddress(), randomAddress()];
  const csv = Buffer.from(`reference,to,amount\nx1,${first},1\nx2,${large},5000\nx3,${second},2\n`);
  const checked = await check(csv);
  if (checked.outcome !== 'kept') throw new Error(JSON.stringify(checked.errors));
  const { payoutId } = checked.payout;
  const total = parseUsdc('5003');
  await confirmPayout(world.db, { ...caller(), payoutId, count: 3, total, approvalThreshold: undefined });
  const app = { db: world.db, sendRules: world.sendRules, places: openDestinations([world.chain], 'USDC') };
  await runPayouts(app, [payoutId]);
  expect(await getPayout(world.db, payoutId, key.keyId)).toMatchObject({
    state: 'waiting',
    waitsFor: { code: 'balance.insufficient' },
    byState: { sent: { count: 2 }, ready: { count: 1 } },
  });
  expect(
    await cancelPayout(world.db, { payoutId: payoutId, keyId: key.keyId, certificate: undefined, client: '' }),
  ).toMatchObject({ state: 'stopping' });
  expect(await runPayouts(app, [payoutId])).toEqual([{ againAfterMs: expect.any(Number) }]);
  await world.db.query(`DELETE FROM jobs WHERE kind = 'payout'`);
  await world.settleDown();
  expect(await runPayouts(app, [payoutId])).toEqual(['done']);
  expect(await getPayout(world.db, payoutId, key.keyId)).toMatchObject({
    state: 'cancelled',
    byState: { paid: { count: 2, total: 3_000_000n }, cancelled: { count: 1 } },
  });
  expect(await Promise.all([first, second, large].map((one) => world.balance(one)))).toEqual([
    1_000_000n,
    2_000_000n,
    0n,
  ]);
});

it('asks the token about addresses: a blacklisted one is refused at the check', async () => {
  const bad = randomAddress();
  await world.turn('/token', { blacklist: bad });
  await world.mine();
  const csv = Buffer.from(`reference,to,amount\na,${randomAddress()},1\nb,${bad},1\nc,0x${'0'.repeat(40)},1\n`);
  const checked = await check(csv);
  expect(checked).toMatchObject({
    outcome: 'invalid',
    errors: [
      { row: 2, column: 'to', code: 'address.blocked' },
      { row: 3, column: 'to', code: 'address.invalid' },
    ],
  });
  expect(await world.balance(bad as Hex)).toBe(0n);
});
