/** What operators type to give payments back, to end sessions and to have wallets read again, and what they read then. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logout } from '../../server/src/bin/cli/verbs/logout.ts';
import { approveRefund as approve, refund, refunds } from '../../server/src/bin/cli/verbs/refund.ts';
import walletNoun from '../../server/src/bin/cli/wallet.ts';
import type { Answer, Verb } from '../../server/src/bin/program/command.ts';
import { contextOf } from '../../server/src/bin/program/context.ts';
import { openSession } from '../../server/src/customers/sessions/sessions.ts';
import { type CustodyWorld, type Holder, startCustody } from '../support/chain/custody.ts';
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

type Options = Readonly<Record<string, string | boolean>>;

async function run(who: OperatorName, verb: Verb, words: string[], options: Options = {}): Promise<Answer> {
  const given = { words, options: options as Record<string, never> };
  const answer = await asOperator(world.databaseUrl, who, (db) =>
    verb.run(
      contextOf(() => db),
      given,
    ),
  );
  const { text, ...rest } = typeof answer === 'string' ? { text: answer } : answer!;
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  return { text, ...rest };
}
const type = async (...args: Parameters<typeof run>) => (await run(...args)).text;

describe('florin payment refund', () => {
  it('gives back from the receiver, says what is left, and repeats nothing', async () => {
    const id = await world.payUser(alice, 'bob', '20');
    const said = await type('rita', refund, [id], { amount: '4.5', why: 'too much was charged' });
    const refundId = /^Given back: 4\.5 USDC, in payment (\S+)\.\n$/.exec(said)![1]!;
    expect(await type('rita', refund, [id], { amount: '4.5', why: 'too much was charged' })).toBe(
      `It was given back before: 4.5 USDC, in payment ${refundId}.\n`,
    );
    await expect(type('rita', refund, [id], { amount: '16', why: 'more' })).rejects.toThrow(
      'only 15.5 USDC of it are left',
    );
    await expect(type('sven', refund, [id], { why: 'x' })).rejects.toMatchObject({ exitCode: 4 });
    await expect(type('anna', refund, [id], {})).rejects.toThrow(/--why/);
    await expect(type('anna', refund, [id], { amount: '1e3', why: 'x' })).rejects.toThrow(/no amount/);
    await expect(type('anna', refund, ['x'], { why: 'x' })).rejects.toMatchObject({ exitCode: 2 });
    expect(await type('sven', refunds, [id])).toMatch(/too much was charged/);
    const { json } = await run('sven', refunds, [refundId]);
    expect(json).toMatchObject([
      { refund_id: refundId, refund_of: id, amount: '4.5', source: 'receiver', blockchain: HOME, approved_by: null },
    ]);
    expect(await world.faults()).toEqual([]);
  });

  it('gives back a send by the treasury, when two have decided it', async () => {
    const id = await world.send({ amount: '10', walletUsername: 'alice' });
    await expect(type('anna', refund, [id], { treasury: true, why: 'x' })).rejects.toThrow(/not COMPLETE/);
    await world.settleDown();
    await expect(type('anna', refund, [id], { why: 'x' })).rejects.toThrow(/--treasury/);
    const said = await type('anna', refund, [id], { treasury: true, why: 'our mistake' });
    const refundId = /florin payment approve-refund (\S+)\n$/.exec(said)![1]!;
    expect(await type('sven', refunds, [])).toMatch(/waits for a second operator/);
    await expect(type('anna', approve, [refundId])).rejects.toThrow(/must be another one/);
    expect(await type('rita', approve, [refundId])).toBe(`Given back: 10 USDC, in payment ${refundId}.\n`);
    expect(await type('rita', approve, [refundId])).toMatch(/paid before/);
    expect(await type('sven', refunds, [])).toBe('No refund waits.\n');
    await expect(type('rita', approve, [id])).rejects.toMatchObject({ exitCode: 3 });
    expect(await world.faults()).toEqual([]);
  });
});

it('florin user logout ends the sessions of a person who is named', async () => {
  const rules = { accessTokenSeconds: 900, refreshTokenSeconds: 9_000, sessionSeconds: 90_000 };
  await world.db.tx((tx) => openSession(tx, rules, alice.userId!, null));
  await expect(type('sven', logout, ['alice'])).rejects.toThrow(/--why/);
  await expect(type('sven', logout, ['nobody_here'], { why: 'x' })).rejects.toMatchObject({ exitCode: 3 });
  expect(await type('sven', logout, ['alice'], { why: 'her phone was stolen' })).toBe('Ended: 1 session.\n');
  expect(await type('sven', logout, [alice.userId!], { why: 'again' })).toBe('There was no open session.\n');
});

it('florin wallet rescan lets a worker read a wallet again, and writes it down', async () => {
  const { rescan } = walletNoun.verbs;
  await expect(type('rita', rescan, ['alice', HOME])).rejects.toMatchObject({ exitCode: 4 });
  await expect(type('anna', rescan, ['alice', 'NOWHERE'])).rejects.toMatchObject({ exitCode: 3 });
  expect(await type('anna', rescan, ['alice', HOME], { from: '1' })).toMatch(/A worker reads it now/);
  const audit = await world.db.query(`SELECT details FROM audit_log WHERE action = 'wallet.rescan_asked'`);
  expect(audit).toEqual([{ details: expect.objectContaining({ blockchain: HOME, wallet_id: alice.walletId }) }]);
  await world.settleDown();
  expect(await world.db.query('SELECT FROM wallet_rescans WHERE next_block IS NOT NULL')).toEqual([]);
  expect(await world.faults()).toEqual([]);
});
