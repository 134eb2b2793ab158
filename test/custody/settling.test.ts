/**
 * Which coins are moved between wallets, and which are not: small differences, blacklisted wallets, and who has to
 * wait.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { askAgain } from '../../server/src/custody/coins/blockedWallets.ts';
import { pauseOnDrift } from '../../server/src/custody/coins/pauseOnDrift.ts';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { listPauses } from '../../server/src/operators/pauses.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { type CustodyWorld, type Holder, startCustody } from '../support/chain/custody.ts';
import { eventually } from '../support/eventually.ts';

let world: CustodyWorld;
let alice: Holder;
let bob: Holder;
let carol: Holder;
let dave: Holder;
beforeAll(async () => {
  world = await startCustody({ settleMin: parseUsdc('1') });
  ({ alice, bob, carol, dave } = await world.fund({ alice: '100', bob: '100', carol: '100', dave: '100' }));
});
afterAll(() => world.stop());

const settle = () => settleWallets(world, world.network, world.usdc);
const isMarkedSettled = async (id: string) =>
  (await readPayment(world.db, id))!.timeline.some(({ detail }) => detail?.startsWith('settled on chain'));
/** Settlement is published later while any commit is outstanding, also in another database of the server. */
const settleUntil = (check: () => Promise<void>) =>
  eventually(async () => {
    expect(await settle()).toEqual({ transfers: 0, amount: 0n });
    await check();
  });
async function turnToken(what: Record<string, unknown>): Promise<void> {
  await world.turn('/token', what);
  await world.mine();
}
const block = (one: Holder, is: boolean) => turnToken({ [is ? 'blacklist' : 'unblacklist']: one.address });
const listFailures = () => world.db.query('SELECT FROM authorizations WHERE failures > 0');

describe('settlement', () => {
  it('waits with amounts that are not worth their gas until they add up, and reports nothing before', async () => {
    const ids = [await world.payUser(alice, 'bob', '0.000001'), await world.payUser(alice, 'bob', '0.6')];
    expect(await settle()).toEqual({ transfers: 0, amount: 0n });
    expect(await isMarkedSettled(ids[0]!)).toBe(false);
    ids.push(await world.payUser(alice, 'bob', '1.5'));
    expect(await settle()).toEqual({ transfers: 1, amount: 2_100_001n });
    await world.settleDown();
    // What it skipped as too small is not reported as settled.
    ids.push(await world.payUser(alice, 'carol', '3'), await world.payUser(bob, 'carol', '0.2'));
    expect(await settle()).toEqual({ transfers: 1, amount: 3_000_000n });
    await world.settleDown();
    await settleUntil(async () =>
      expect(await Promise.all(ids.map(isMarkedSettled))).toEqual([false, false, true, true, false]),
    );
    expect(await world.faults()).toEqual([]);
  });

  it('of some wallets does not wait for work on others', async () => {
    const locked = await world.db.tx(async (tx) => {
      await tx.query('SELECT FROM holdings WHERE wallet_id = $1 FOR UPDATE', [dave.walletId]);
      const id = await world.payUser(alice, 'bob', '5');
      expect((await settle()).transfers).toBe(1);
      expect(await settle()).toEqual({ transfers: 0, amount: 0n });
      return id;
    });
    await world.settleDown();
    // While a commit was outstanding, the settled position of the ledger was not certain.
    expect(await isMarkedSettled(locked)).toBe(false);
    await settleUntil(async () => expect(await isMarkedSettled(locked)).toBe(true));
  });
});

describe('a send of what many people paid in small amounts', () => {
  it('collects the coins that it lacks, from as many wallets as needed, and no more', async () => {
    const payers = Array.from({ length: 22 }, (_, i) => `payer_${'abcdefghij'[i % 10]}${'abc'[Math.floor(i / 10)]}`);
    const holders = await world.fund(
      Object.fromEntries(['shop', ...payers].map((name) => [name, name === 'shop' ? '0' : '0.95'])),
    );
    for (const name of payers) await world.payUser(holders[name]!, 'shop', '0.95');
    // No single wallet has enough to be worth a settlement, and the richest wallets that one send may draw from have
    // too little.
    expect(await settle()).toEqual({ transfers: 0, amount: 0n });
    const id = await world.send({ walletId: holders.shop!.walletId, amount: '20' });
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
    const [gathered] = await world.db.query<{ amount: bigint }>(
      `SELECT sum(amount)::bigint AS amount FROM coin_moves WHERE to_wallet = $1`,
      [holders.shop!.walletId],
    );
    expect(gathered!.amount).toBe(parseUsdc('20'));
    expect(await world.faults()).toEqual([]);
  });
});

describe('a wallet that the token has blacklisted', () => {
  it('funds no one: a send uses the coins of another wallet, and settlement leaves it out', async () => {
    // Most coins that belong to others are in dave's wallet, the next most in alice's.
    const toCarol = await world.payUser(dave, 'carol', '80');
    await world.payUser(alice, 'carol', '60');
    await block(dave, true);
    const id = await world.send({ walletId: carol.walletId, amount: '140' });
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
    const [funding] = await world.db.query('SELECT wallet_id FROM coin_moves WHERE funds = $1', [id]);
    expect(funding).toEqual({ wallet_id: alice.walletId });

    expect((await settle()).transfers).toBeGreaterThan(0);
    await world.settleDown();
    expect(await listFailures()).toEqual([]);
    const { wallets } = (await reconcile(world, world.network, world.usdc))!;
    const blocked = wallets.filter((one) => one.blockedAt !== null);
    expect(blocked.map((one) => one.walletId)).toEqual([dave.walletId]);
    expect(await isMarkedSettled(toCarol)).toBe(false);

    // Off the blacklist, it takes part again.
    await block(dave, false);
    await world.db.query(`UPDATE holdings SET asked_at = now() - interval '1 hour' WHERE wallet_id = $1`, [
      dave.walletId,
    ]);
    await askAgain(world.db, world.network, world.usdc);
    expect((await settle()).transfers).toBeGreaterThan(0);
    await world.settleDown();
    expect(await world.faults()).toEqual([]);
  });

  it('pays no one: its sends are denied before anything is signed', async () => {
    await block(bob, true);
    const id = await world.send({ walletId: bob.walletId, amount: '1' });
    await world.work();
    expect(await world.get(id)).toMatchObject({
      state: 'DENIED',
      errorDetail: 'the wallet is blacklisted by the token',
    });
    await block(bob, false);
  });
});

it('a paused token moves nothing: nothing is settled, and sends wait', async () => {
  await world.payUser(bob, 'alice', '10');
  await turnToken({ paused: true });
  expect(await settle()).toEqual({ transfers: 0, amount: 0n });
  const id = await world.send({ walletId: bob.walletId, amount: '1' });
  await world.work();
  expect((await world.get(id)).state).toBe('INITIATED');
  await turnToken({ paused: false });
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect((await settle()).transfers).toBe(1);
  expect(await listFailures()).toEqual([]);
});

it('reconciliation checks a changed wallet immediately and any other in its round, without comparing all of them every time', async () => {
  const { assetId } = world.usdc;
  await world.db.query(
    `INSERT INTO users (user_id, issuer, subject) SELECT gen_random_uuid(), 'many', i::text FROM generate_series(1, 1200) i`,
  );
  await world.db.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
     SELECT gen_random_uuid(), 'user', user_id, 'local', 'many ' || subject, '0x' || lpad(subject, 40, '0')
       FROM users WHERE issuer = 'many'`,
  );
  await world.settleDown();
  await world.db.query(
    'INSERT INTO holdings (asset_id, wallet_id, unchecked) SELECT $1, wallet_id, false FROM wallets ON CONFLICT DO NOTHING',
    [assetId],
  );
  let read = 0;
  // A part of the round, and the wallets whose coins have changed.
  const some = 500 + 40;
  const readBalances: typeof world.chain.readBalances = (token, wallets, at) => {
    read += wallets.length;
    return world.chain.readBalances(token, wallets, at);
  };
  const network = { ...world.network, chain: { ...world.chain, readBalances } };
  const poll = async () => {
    read = 0;
    await pauseOnDrift(world, network);
    return (await world.db.query<{ subject: string }>(`SELECT subject FROM drifts WHERE subject <> 'ledger'`)).map(
      (row) => row.subject,
    );
  };
  // Of the new wallets, because the others hold coins.
  const [last, changed] = await world.db.query<{ id: string }>(
    `SELECT wallet_id AS id FROM wallets WHERE reference LIKE 'many %' ORDER BY 1 DESC LIMIT 2`,
  );
  expect(await poll()).toEqual([]);
  expect(read).toBeLessThanOrEqual(some);
  await world.db.query('UPDATE holdings SET coins = 1 WHERE wallet_id = $1', [changed!.id]);
  expect(await poll()).toEqual([`wallet ${changed!.id}`]);
  await world.db.query('UPDATE holdings SET coins = 0 WHERE wallet_id = $1', [changed!.id]);
  await world.db.query('UPDATE holdings SET coins = 2 WHERE wallet_id = $1', [last!.id]);
  await world.db.query('UPDATE holdings SET unchecked = false WHERE wallet_id = $1', [last!.id]);
  for (let i = 0; i < 4 && (await poll()).length === 0; i++) expect(read).toBeLessThanOrEqual(some);
  expect(await poll()).toEqual([`wallet ${last!.id}`]);
  const [drift] = await world.db.query('SELECT looks FROM drifts WHERE subject = $1', [`wallet ${last!.id}`]);
  expect(drift).toEqual({ looks: 2 });
  expect(await listPauses(world.db)).toMatchObject([{ cause: 'drift' }]);
});
