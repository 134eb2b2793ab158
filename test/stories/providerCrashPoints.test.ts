/**
 * The same for wallets whose provider sends: the worker dies exactly there, the next one continues, and one transfer is
 * made, or none. The provider names a chain transaction only when it is final, so every payment is held first.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { at, createMortal, type When, workUntilDeath } from '../support/chain/crash.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { expectOneEnd } from '../support/chain/expectOneEnd.ts';
import { TEST_PROVIDER } from '../support/chain/provider.ts';
import { judgeEnd } from '../support/properties/judgeEnd.ts';
import { onePart } from '../support/run/thorough.ts';

let world: CustodyWorld;
let alice: Holder;
beforeAll(async () => {
  world = await startCustody({}, { walletProvider: TEST_PROVIDER });
  await world.treasury('1000');
  alice = await world.person('alice', '100');
  await world.person('bob', '100');
  await world.mine(4);
  await world.work();
});
afterAll(() => world.stop());
beforeEach(() => {
  world.provider.reset();
});

const SAID = 'SET provider_id = coalesce';

/** In the order of a payment's life. */
const POINTS: [string, When][] = [
  ['before its coins are reserved', at('before', 'tx.query', 'queue_payments')],
  ['coins reserved, the commit unanswered', at('after', 'db.commit')],
  ['before the key is committed', at('before', 'db.query', 'INSERT INTO provider_transfers')],
  ['the key committed, unanswered', at('after', 'db.query', 'INSERT INTO provider_transfers')],
  ['before the provider is asked', at('before', 'transfers.submit')],
  ['the provider asked, its answer lost', at('after', 'transfers.submit')],
  ['its answer not recorded', at('before', 'db.query', SAID)],
  ['its answer recorded, unanswered', at('after', 'db.query', SAID)],
  ['before the provider is polled', at('before', 'transfers.find')],
  ['that answer lost', at('after', 'transfers.find')],
  ['before it is shown as sent', at('before', 'tx.query', 'payments_advance', 'SENT')],
  ['final, before its log is held', at('before', 'tx.query', 'INSERT INTO held_logs')],
  ['final, its log half held', at('after', 'tx.query', 'INSERT INTO held_logs')],
  ['while its log is held', at('before', 'db.query', 'FROM held_logs')],
  ['the hash known and not recorded', at('before', 'db.query', SAID, '0x')],
  ['the hash recorded', at('after', 'db.query', SAID, '0x')],
  ['before the hold is posted', at('before', 'tx.query', 'post_holds')],
  ['half posted', at('after', 'tx.query', 'post_holds')],
  ['before coins move', at('before', 'tx.query', 'UPDATE holdings')],
  ['before the log is released', at('before', 'tx.query', 'DELETE FROM held_logs')],
  ['the log half released', at('after', 'tx.query', 'DELETE FROM held_logs')],
];

describe('the worker of a provider’s wallets dies', () => {
  it.each(onePart(POINTS, 4))('%s', async (_, when) => {
    const destination = randomAddress();
    const id = await world.send({ amount: '1.25', destination });
    await workUntilDeath(world, when, 14);
    await world.settleDown();
    await expectOneEnd(world, id, destination, 'COMPLETE');
    expect(await world.balance(destination)).toBe(1_250_000n);
  });

  it('the log released, the commit unanswered', async () => {
    const destination = randomAddress();
    world.provider.switches.tellsHash = 'never';
    const id = await world.send({ amount: '1.25', destination });
    await world.work();
    await world.mine(5);
    await world.work();
    world.provider.switches.tellsHash = 'late';
    let isLettingGo = false;
    await workUntilDeath(world, ({ name, sql }) => {
      isLettingGo ||= sql.includes('DELETE FROM held_logs');
      return isLettingGo && name === 'db.commit' ? 'after' : undefined;
    });
    await world.settleDown();
    await expectOneEnd(world, id, destination, 'COMPLETE');
  });

  it.each(POINTS.filter(([, when]) => when({ name: 'transfers.submit', sql: '', values: '' }) !== undefined))(
    'during a settlement: %s',
    async (_, when) => {
      await world.payUser(alice, 'bob', '1.5');
      expect((await settleWallets(world, world.network, world.usdc)).transfers).toBe(1);
      await workUntilDeath(world, when, 14);
      await world.settleDown();
      expect((await settleWallets(world, world.network, world.usdc)).transfers).toBe(0);
      expect(await world.faults()).toEqual([]);
    },
  );
});

const ENDS: [string, When][] = [
  ['the provider’s final report not recorded', at('before', 'db.query', SAID, 'cancelled')],
  ['before its coins are free', at('before', 'tx.query', `SET state = 'dead'`)],
  ['before the hold is released', at('before', 'tx.query', 'payment_release')],
  ['released, before the commit', at('after', 'tx.query', 'payment_release')],
];

const CANCEL_POINTS: [string, When][] = [
  ['before the request to the provider is recorded', at('before', 'db.query', 'SET cancel_answer', 'unknown')],
  ['before the provider is asked to stop', at('before', 'transfers.cancel')],
  ['asked, the answer lost', at('after', 'transfers.cancel')],
  ['the answer not recorded', at('before', 'db.query', 'SET cancel_answer', 'accepted')],
  ...ENDS,
];

const cancel = (id: string, db = world.db) => db.tx((tx) => cancelPayment(tx, { paymentId: id }));

describe('a cancellation is requested at a provider, and the worker dies', () => {
  it.each(onePart(CANCEL_POINTS, 4))('%s', async (_, when) => {
    world.provider.switches.isSlow = true;
    const destination = randomAddress();
    const id = await world.send({ amount: '1.25', destination });
    await world.work();
    await cancel(id);
    await workUntilDeath(world, when, 14);
    world.provider.switches.isSlow = false;
    await world.settleDown();
    await expectOneEnd(world, id, destination, 'CANCELLED');
  });

  it.each(onePart(CANCEL_POINTS.slice(0, 3), 3))('too late, it is sent: %s', async (_, when) => {
    const destination = randomAddress();
    const id = await world.send({ amount: '1.25', destination });
    await world.work();
    await world.mine();
    await cancel(id);
    await workUntilDeath(world, when, 14);
    await world.settleDown();
    await expectOneEnd(world, id, destination, 'COMPLETE');
  });

  it.each(['before', 'after'] as const)(
    'the process that requests it dies %s the commit, and requests it again',
    async (end) => {
      world.provider.switches.isSlow = true;
      const destination = randomAddress();
      const id = await world.send({ amount: '1.25', destination });
      await world.work();
      const mortal = createMortal(world, at(end, 'db.commit'));
      await expect(cancel(id, mortal.db)).rejects.toThrow();
      await cancel(id);
      world.provider.switches.isSlow = end === 'after';
      await world.work();
      world.provider.switches.isSlow = false;
      await world.settleDown();
      await expectOneEnd(world, id, destination, 'CANCELLED');
    },
  );
});

describe('a provider denies it, and the worker dies', () => {
  it.each([
    ['its report not recorded', at('before', 'db.query', SAID, 'failed')] as [string, When],
    ...ENDS.slice(1),
    ['the provider asked once more, unanswered', at('after', 'transfers.find')] as [string, When],
  ])('%s', async (_, when) => {
    world.provider.switches.fails = 'denied by policy';
    const destination = randomAddress();
    const id = await world.send({ amount: '1.25', destination });
    await workUntilDeath(world, when, 14);
    await world.settleDown();
    await expectOneEnd(world, id, destination, 'FAILED');
  });
});

it('in the end everything has ended, and every balance is explained', async () => {
  expect(await judgeEnd(world)).toEqual([]);
});
