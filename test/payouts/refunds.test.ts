/** M28: payout rows and treasury payments are refunded; nothing goes back to a closed account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeAccount } from '../../server/src/customers/account/closeAccount.ts';
import { untilBlocked } from '../support/database/untilBlocked.ts';
import { openRefunds, type RefundsWorld } from '../support/ledger/openRefunds.ts';
import { operate } from '../support/operate.ts';
import type { Person } from '../support/payments.ts';
import { drivePayouts } from '../support/payouts/drivePayouts.ts';
import { type PayoutKey, treasuryUpTo } from '../support/payouts/makeKey.ts';

let world: RefundsWorld;
let key: PayoutKey;
let driver: ReturnType<typeof drivePayouts>;
beforeAll(async () => {
  world = await openRefunds();
  const { db, databaseUrl: url } = world.florin;
  await db.query('SELECT ledger_set_home_asset(asset_id) FROM assets');
  const may = ['--scope', 'payouts', '--any-wallet', ...treasuryUpTo('1000')];
  const said = await operate(world.operators.anna, 'key', 'create', 'robot', ...may);
  key = { key: said.split('\n')[0]!, keyId: /Key (\S+)/.exec(said)![1]! };
  driver = drivePayouts({ db, url }, () => key);
});
afterAll(() => world.stop());

/** Pays one row, and returns the id of its payment. */
async function payRow(reference: string, to: Person, amount: string, payer?: Person): Promise<string> {
  const id = await driver.check(`${reference},${to.username},${amount},\n`, payer?.username);
  await driver.confirm(id);
  await driver.run(id);
  expect(await driver.rows(id)).toEqual(['paid']);
  const [row] = await world.florin.db.query<{ payment_id: string }>(
    'SELECT payment_id FROM payout_items WHERE payout_id = $1',
    [id],
  );
  return row!.payment_id;
}
const florin = (...args: string[]) => operate(world.operators.anna, 'payment', ...args).catch((e: Error) => e.message);
const treasury = async () => {
  const [row] = await world.florin.db.query<{ available: bigint }>(
    'SELECT available FROM accounts WHERE account_id = $1',
    [world.treasury],
  );
  return row!.available;
};
const close = ({ userId }: Person) => world.florin.db.tx((tx) => closeAccount(tx, userId));

describe('M28: florin payment refund', () => {
  it('refunds a row that the treasury paid to the treasury, in parts, and never more', async () => {
    const [, bob] = await world.meet();
    const before = await treasury();
    const id = await payRow('from-treasury', bob, '10');
    expect(await florin('refund', id, '--amount', '4', '--why', 'too much')).toMatch(/^Refunded: 4/);
    expect(await florin('refund', id, '--why', 'all of it')).toMatch(/^Refunded: 6/);
    expect(await florin('refund', id, '--why', 'once more')).toMatch(/already fully refunded/);
    expect([await world.available(bob), await treasury()]).toEqual([[0n], before]);
    const { body } = await world.florin.get(`/circle/transaction/${id}`);
    expect(body.timeline.map(({ note }: { note: string | null }) => note)).toEqual([
      null,
      expect.stringMatching(/4 USDC given back in payment .*, 4 of 10 so far/),
      expect.stringMatching(/6 USDC given back in payment .*, 10 of 10 so far/),
    ]);
    const { body: history } = await world.florin.get(`/api/v1/latest_transactions_by_username/${bob.username}`);
    expect(history.transactions.slice(0, 2)).toMatchObject([
      { amount: '6', from: { username: bob.username }, to: { username: null } },
      { amount: '4' },
    ]);
    // The treasury would pay itself.
    expect(await florin('refund', id, '--treasury', '--amount', '1', '--why', 'x')).toMatch(/the treasury paid it/);
    expect(await world.faults()).toEqual([]);
  });

  it('refunds a row that a person paid to that person', async () => {
    const [ada, bob] = await world.meet();
    const id = await payRow('from-person', bob, '10', ada);
    expect(await florin('refund', id, '--why', 'wrong person')).toMatch(/^Refunded: 10/);
    expect(await world.available(ada, bob)).toEqual([100_000_000n, 0n]);
  });

  it('refuses a payer who has closed their account, and moves nothing', async () => {
    const [ada, bob] = await world.meet('10');
    const id = await world.pay(ada, bob, '10');
    const proposed = await florin('refund', id, '--amount', '1', '--treasury', '--why', 'ours');
    const refundId = /approve-refund (\S+)/.exec(proposed)![1]!;
    await close(ada);
    for (const source of [[], ['--treasury']])
      expect(await florin('refund', id, ...source, '--why', 'late')).toMatch(/closed their account/);
    const approved = operate(world.operators.rita, 'payment', 'approve-refund', refundId);
    await expect(approved).rejects.toThrow(/closed their account/);
    expect(await world.available(ada, bob)).toEqual([0n, 10_000_000n]);
    expect(await operate(world.operators.rita, 'payment', 'refunds')).toContain(refundId);
    expect(await operate(world.operators.rita, 'payment', 'deny-refund', refundId, '--why', 'closed')).toMatch(
      /Denied/,
    );
  });

  it('is refused when the payer closes at the same moment', async () => {
    const [ada, bob] = await world.meet('10');
    const id = await world.pay(ada, bob, '10');
    let refunded: Promise<string> = Promise.resolve('');
    await world.florin.db.tx(async (tx) => {
      await closeAccount(tx, ada.userId);
      refunded = florin('refund', id, '--why', 'a race');
      await Promise.race([refunded, untilBlocked(world.florin.admin)]);
    });
    expect(await refunded).toMatch(/closed their account/);
    expect(await world.available(ada, bob)).toEqual([0n, 10_000_000n]);
    expect(await world.faults()).toEqual([]);
  });
});
