/**
 * Authorizations that a restored database does not know record the restore: once, and not again when it is confirmed.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { confirmRestore, noteRestore } from '../../server/src/operators/restores.ts';
import { importedId, importPayment } from '../../server/src/payments/tracking/importPayment.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { backUp } from '../support/chain/backUp.ts';
import { type CustodyWorld, startCustody } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';
import { judgeEnd } from '../support/properties/judgeEnd.ts';

let world: CustodyWorld;
beforeEach(async () => {
  world = await startCustody({ missingAfterMs: 0 });
  await world.fund({ treasury: '1000' });
});
afterEach(async () => {
  // An operator imports the unexplained moves.
  for (const move of await listUnexplained(world.db))
    await world.db.tx((tx) => importPayment(tx, importedId(move), move));
  const faults = await judgeEnd(world);
  await world.stop();
  expect(faults).toEqual([]);
});

const track = async () => {
  while (await trackPayments(world, world.network));
};

const countRestores = async () => (await world.db.query('SELECT FROM restores')).length;

async function confirm(): Promise<void> {
  await world.db.tx((tx) => confirmRestore(tx, 'keys', 'operator:anna'));
  await world.db.tx((tx) => confirmRestore(tx, 'sessions', 'operator:anna'));
}

it('a relay transaction from before a confirmed restore that is mined minutes after it records nothing', async () => {
  const goBack = await backUp(world);
  await world.send({ amount: '7' });
  await world.work();
  await goBack();
  await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
  await confirm();
  await world.mine(5, 300);
  await track();
  expect(await world.db.query('SELECT FROM forgotten_nonces')).toHaveLength(1);
  expect(await countRestores()).toBe(1);
});

it('a rescanned wallet, months after a confirmed restore, records nothing', async () => {
  const goBack = await backUp(world);
  const first = await world.person('zoe', '30');
  await world.credit();
  await world.send({ amount: '5', walletUsername: 'zoe' });
  await world.send({ amount: '7' });
  await world.settleDown();
  await goBack();
  await track();
  expect(await countRestores()).toBe(1);
  await confirm();

  await world.mine(5, 1_000_000);
  await track();
  expect((await world.person('zoe')).address).toBe(first.address);
  await track();
  expect(await world.db.query('SELECT FROM wallet_rescans')).toEqual([]);
  expect(await world.db.query('SELECT FROM forgotten_nonces')).toHaveLength(2);
  expect(await countRestores()).toBe(1);
});

it('a loss after a confirmed restore is recorded, once', async () => {
  await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
  await confirm();
  await asAdmin(world.databaseUrl, `UPDATE restores SET noted_at = noted_at - interval '3 hours'`);
  const goBack = await backUp(world);
  await world.send({ amount: '7' });
  await world.settleDown();
  await goBack();
  await track();
  expect(await countRestores()).toBe(2);
  const reasons = await world.db.query<{ reason: string }>('SELECT reason FROM restores ORDER BY noted_at DESC');
  expect(reasons[0]!.reason).toMatch(/a signature that this database does not know/);
});
