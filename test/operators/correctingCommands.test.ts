/** The commands with which operators refund payments, end sessions and request rescans, and their output. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../../server/src/customers/sessions/sessions.ts';
import { type CustodyWorld, type Holder, startCustody } from '../support/chain/custody.ts';
import { operate } from '../support/operate.ts';
import { asOperator, nameOperators, type OperatorName } from '../support/operators.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let alice: Holder;
beforeAll(async () => {
  world = await startCustody();
  ({ alice } = await world.fund({ alice: '100', bob: '10', treasury: '1000' }));
  await nameOperators(world.databaseUrl, { anna: 'admin', rita: 'risk', sven: 'support' });
});
afterAll(() => world.stop());

/** Every line fits on a terminal of a hundred columns. */
async function type(who: OperatorName, ...args: string[]): Promise<string> {
  const text = await asOperator(world.databaseUrl, who, (db) => operate(db, ...args));
  if (!args.includes('--json')) for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  return text;
}

describe('florin payment refund', () => {
  it('refunds from the receiver, shows what is left, and repeats nothing', async () => {
    const id = await world.payUser(alice, 'bob', '20');
    const said = await type('rita', 'payment', 'refund', id, '--amount', '4.5', '--why', 'too much was charged');
    const refundId = /^Refunded: 4\.5 USDC, in payment (\S+)\.\n$/.exec(said)![1]!;
    expect(await type('rita', 'payment', 'refund', id, '--amount', '4.5', '--why', 'too much was charged')).toBe(
      `Already refunded: 4.5 USDC, in payment ${refundId}.\n`,
    );
    await expect(type('rita', 'payment', 'refund', id, '--amount', '16', '--why', 'more')).rejects.toThrow(
      'only 15.5 USDC of it can still be refunded',
    );
    await expect(type('sven', 'payment', 'refund', id, '--why', 'x')).rejects.toMatchObject({ exitCode: 4 });
    await expect(type('anna', 'payment', 'refund', id)).rejects.toThrow(/--why/);
    await expect(type('anna', 'payment', 'refund', id, '--amount', '1e3', '--why', 'x')).rejects.toThrow(
      /not an amount/,
    );
    await expect(type('anna', 'payment', 'refund', 'x', '--why', 'x')).rejects.toMatchObject({ exitCode: 2 });
    expect(await type('sven', 'payment', 'refunds', id)).toMatch(/too much was charged/);
    const json = JSON.parse(await type('sven', 'payment', 'refunds', refundId, '--json'));
    expect(json).toMatchObject([
      { refund_id: refundId, refund_of: id, amount: '4.5', source: 'receiver', blockchain: HOME, approved_by: null },
    ]);
    const show = async (one: string) => JSON.parse(await type('sven', 'payment', 'show', one, '--json'));
    expect(await show(id)).toMatchObject({ state: 'COMPLETE', refund_of: null, refunds: [refundId] });
    expect(await show(refundId)).toMatchObject({ state: 'COMPLETE', refund_of: id, refunds: [] });
    expect(await type('sven', 'payment', 'show', refundId)).toMatch(
      new RegExp(`refund of +${id}\\ndecided by +\\w+_rita`),
    );
    expect(await world.faults()).toEqual([]);
  });

  it('refunds a send from the treasury, when two people have decided it', async () => {
    const id = await world.send({ amount: '10', walletUsername: 'alice' });
    await expect(type('anna', 'payment', 'refund', id, '--treasury', '--why', 'x')).rejects.toThrow(/not COMPLETE/);
    await world.settleDown();
    await expect(type('anna', 'payment', 'refund', id, '--why', 'x')).rejects.toThrow(/--treasury/);
    const said = await type('anna', 'payment', 'refund', id, '--treasury', '--why', 'our mistake');
    const refundId = /florin payment approve-refund (\S+)\n$/.exec(said)![1]!;
    expect(await type('sven', 'payment', 'refunds')).toMatch(/waits for a second operator/);
    await expect(type('anna', 'payment', 'approve-refund', refundId)).rejects.toThrow(/another operator must approve/);
    expect(await type('rita', 'payment', 'approve-refund', refundId)).toBe(
      `Refunded: 10 USDC, in payment ${refundId}.\n`,
    );
    expect(await type('rita', 'payment', 'approve-refund', refundId)).toMatch(/^Already approved and paid/);
    expect(await type('sven', 'payment', 'refunds')).toBe('No refunds are waiting.\n');
    expect(await type('sven', 'payment', 'show', refundId)).toMatch(/kind +a refund by the treasury\n/);
    await expect(type('rita', 'payment', 'approve-refund', id)).rejects.toMatchObject({ exitCode: 3 });
    await expect(type('rita', 'payment', 'deny-refund', refundId, '--why', 'x')).rejects.toThrow(
      /already approved and paid/,
    );
    expect(await world.faults()).toEqual([]);
  });
});

it('florin user logout ends the sessions of the named person', async () => {
  const rules = { accessTokenSeconds: 900, refreshTokenSeconds: 9_000, sessionSeconds: 90_000 };
  await world.db.tx((tx) => openSession(tx, rules, alice.userId!, null));
  await expect(type('sven', 'user', 'logout', 'alice')).rejects.toThrow(/--why/);
  await expect(type('sven', 'user', 'logout', 'nobody_here', '--why', 'x')).rejects.toMatchObject({ exitCode: 3 });
  expect(await type('sven', 'user', 'logout', 'alice', '--why', 'her phone was stolen')).toBe('Ended: 1 session.\n');
  expect(await type('sven', 'user', 'logout', alice.userId!, '--why', 'again')).toBe('There were no open sessions.\n');
});

it('florin wallet rescan makes a worker read a wallet again, and records it', async () => {
  await expect(type('rita', 'wallet', 'rescan', 'alice', HOME)).rejects.toMatchObject({ exitCode: 4 });
  await expect(type('anna', 'wallet', 'rescan', 'alice', 'NOWHERE')).rejects.toMatchObject({ exitCode: 3 });
  expect(await type('anna', 'wallet', 'rescan', 'alice', HOME, '--from', '1')).toMatch(/A worker is reading it now/);
  const audit = await world.db.query(`SELECT details FROM audit_log WHERE action = 'wallet.rescan_asked'`);
  expect(audit).toEqual([{ details: expect.objectContaining({ blockchain: HOME, wallet_id: alice.walletId }) }]);
  await world.settleDown();
  expect(await world.db.query('SELECT FROM wallet_rescans WHERE next_block IS NOT NULL')).toEqual([]);
  expect(await world.faults()).toEqual([]);
});
