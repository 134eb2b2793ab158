/** A payout to people and addresses, whose worker is killed again and again, on a chain of this process. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Hex } from '../../server/src/core/ports.ts';
import { openDestinations } from '../../server/src/http/calls/openDestinations.ts';
import { checkPayout } from '../../server/src/payments/payouts/checkPayout.ts';
import { parseCsvRows } from '../../server/src/payments/payouts/parseRows.ts';
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

it('killed five times, it has paid every row once', async () => {
  const killed = await killPayout(world, key, { rows: 24, kills: 5, people: PEOPLE });
  expect(killed.deaths).toHaveLength(5);
  expect(await judgePayout(world, killed)).toEqual([]);
  expect(await world.faults()).toEqual([]);
});

it('asks the token about addresses: a blacklisted one is refused at the check', async () => {
  const bad = randomAddress();
  await world.turn('/token', { blacklist: bad });
  await world.mine();
  const csv = Buffer.from(`reference,to,amount\na,${randomAddress()},1\nb,${bad},1\nc,0x${'0'.repeat(40)},1\n`);
  const checked = await checkPayout(
    { db: world.db, homeBlockchain: HOME, places: openDestinations([world.chain]) },
    {
      keyId: key.keyId,
      certificate: undefined,
      client: '127.0.0.1',
      payer: undefined,
      onShortage: 'wait',
      file: { contentType: 'text/csv', bytes: csv },
      parsed: parseCsvRows(csv),
    },
  );
  expect(checked).toMatchObject({
    outcome: 'invalid',
    errors: [
      { row: 2, column: 'to', code: 'address.blocked' },
      { row: 3, column: 'to', code: 'address.invalid' },
    ],
  });
  expect(await world.balance(bad as Hex)).toBe(0n);
});
