/** Wallets whose provider sends: the provider reports progress, and the chain decides what is paid. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Hex } from '../../server/src/core/ports.ts';
import { pauseOnDrift } from '../../server/src/custody/coins/pauseOnDrift.ts';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { liftPause } from '../../server/src/operators/pauses.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { expectOneEnd } from '../support/chain/expectOneEnd.ts';
import { TEST_PROVIDER } from '../support/chain/provider.ts';
import { asAdmin } from '../support/database.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let alice: Holder;
let treasury: Holder;
beforeAll(async () => {
  world = await startCustody({}, { walletProvider: TEST_PROVIDER });
  alice = await world.person('alice', '1000');
  treasury = await world.treasury('1000');
  await world.mine(4);
  await world.work();
});
afterAll(() => world.stop());
beforeEach(() => {
  world.provider.reset();
});

const cancel = (id: string) => world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
const pausesOf = () => world.db.query<{ cause: string }>('SELECT cause FROM pauses');
const heldLogs = () => world.db.query<{ tx_hash: string }>('SELECT tx_hash FROM held_logs');

/** Accepted, handed over, and final on the chain, while the provider names nothing. */
async function sendUntold(amount: string, destination: Hex): Promise<string> {
  world.provider.switches.tellsHash = 'never';
  const id = await world.send({ amount, destination });
  await world.work();
  await world.mine(5);
  await world.work();
  return id;
}

describe('a send', () => {
  it('is final on the chain before the provider names it: its log is held without a pause, and then it is paid', async () => {
    const destination = randomAddress();
    const id = await sendUntold('12.5', destination);
    expect(await world.balance(destination)).toBe(12_500_000n);
    expect((await world.get(id)).state).toBe('SENT');
    expect(await heldLogs()).toHaveLength(1);
    expect(await pausesOf()).toEqual([]);
    // Neither coins nor ledger have moved, and reconciliation can explain the chain's difference.
    const { difference, wallets } = (await reconcile(world, world.network, world.usdc))!;
    expect([difference, ...wallets.map((one) => one.difference)].every((one) => one === 0n)).toBe(true);
    expect(wallets.find((one) => one.walletId === treasury.walletId)!.held).toBe(-12_500_000n);
    for (let i = 0; i < 3; i++) await pauseOnDrift(world, world.network);
    expect(await world.faults()).toEqual([]);

    world.provider.switches.tellsHash = 'immediately';
    await world.work();
    await expectOneEnd(world, id, destination, 'COMPLETE');
    expect(await heldLogs()).toEqual([]);
    const payment = (await readPayment(world.db, id))!;
    expect(payment.txHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(payment.timeline.map(({ state, note }) => state ?? note)).toEqual([
      'INITIATED',
      'QUEUED',
      'handed to the provider of the wallet, which sends it',
      'SENT',
      'the provider of the wallet names this chain transaction',
      'COMPLETE',
    ]);
  });

  it('is CONFIRMED before it is COMPLETE when the provider names its chain transaction immediately', async () => {
    world.provider.switches.tellsHash = 'immediately';
    const destination = randomAddress();
    const id = await world.send({ amount: '1', destination, walletUsername: 'alice' });
    await world.work();
    await world.mine();
    await world.work();
    expect((await world.get(id)).state).toBe('CONFIRMED');
    await world.mine(3);
    await world.work();
    await expectOneEnd(world, id, destination, 'COMPLETE');
  });

  it.each([
    ['whose answer is lost', { lostAnswers: 2 }],
    ['that never arrives', { lostCalls: 2 }],
  ])('%s is requested again under the same key, and made once', async (_, fault) => {
    Object.assign(world.provider.switches, fault);
    const destination = randomAddress();
    const id = await world.send({ amount: '2', destination });
    await world.settleDown();
    await expectOneEnd(world, id, destination, 'COMPLETE');
    expect(world.provider.calls.get(id)).toBeGreaterThan('lostAnswers' in fault ? 1 : 0);
  });

  it('to one of our wallets debits the sender and credits its owner, once, when the provider has reported it', async () => {
    const ledgerOf = async (walletId: string) =>
      (await reconcile(world, world.network, world.usdc))!.wallets.find((one) => one.walletId === walletId)!.ledger;
    const before = await ledgerOf(alice.walletId);
    const id = await sendUntold('3', alice.address);
    expect(await ledgerOf(alice.walletId)).toBe(before);
    world.provider.switches.tellsHash = 'immediately';
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
    expect(await ledgerOf(alice.walletId)).toBe(before + 3_000_000n);
    expect(await world.faults()).toEqual([]);
  });

  it.each([
    ['refuses', { refuses: 'this address is blocked' }, /could not send it: this address is blocked/],
    ['accepts and then denies', { fails: 'denied by policy' }, /could not send it: denied by policy/],
  ])('that the provider %s is FAILED, and the money is returned', async (_, fault, reason) => {
    Object.assign(world.provider.switches, fault);
    const destination = randomAddress();
    const id = await world.send({ amount: '4', destination });
    await world.settleDown();
    await expectOneEnd(world, id, destination, 'FAILED');
    expect((await world.get(id)).errorDetail).toMatch(reason);
  });

  it('is paid when it is on the chain, although the provider reports a failure', async () => {
    const destination = randomAddress();
    const { transfers } = world.provider;
    const liar = {
      ...transfers,
      find: async ({ providerId }: { readonly providerId: string }) => ({
        outcome: 'accepted' as const,
        providerId,
        state: 'failed' as const,
        txHash: undefined,
        error: 'who knows',
      }),
    };
    const id = await world.send({ amount: '5', destination });
    await world.work();
    await world.mine();
    for (let i = 0; i < 5; i++) {
      await world.work({ signer: world.openSigner({ testSender: liar }) });
      await world.mine();
    }
    await world.work({ signer: world.openSigner({ testSender: liar }) });
    await expectOneEnd(world, id, destination, 'COMPLETE');
  });
});

describe('a cancellation', () => {
  it('before the handover returns the money immediately, and nothing is handed over after it', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '6', destination });
    expect(await cancel(id)).toBe('released');
    await world.settleDown();
    await expectOneEnd(world, id, destination, 'CANCELLED');
    expect(world.provider.calls.get(id)).toBeUndefined();
  });

  it.each(['accept', 'lose the answer'] as const)(
    'that reaches the provider in time (%s) ends the send',
    async (cancels) => {
      Object.assign(world.provider.switches, { isSlow: true, cancels });
      const destination = randomAddress();
      const id = await world.send({ amount: '6', destination });
      await world.work();
      expect(await cancel(id)).toBe('asked');
      await world.work();
      expect((await world.get(id)).state).toBe('QUEUED');
      world.provider.switches.isSlow = false;
      await world.settleDown();
      await expectOneEnd(world, id, destination, 'CANCELLED');
    },
  );

  it.each(['refuse', 'accept'] as const)('that comes too late (%s) leaves the send COMPLETE', async (cancels) => {
    Object.assign(world.provider.switches, { cancels });
    const destination = randomAddress();
    const id = await world.send({ amount: '6', destination });
    await world.work();
    if (cancels === 'accept') await world.mine();
    expect(await cancel(id)).toBe('asked');
    await world.settleDown();
    await expectOneEnd(world, id, destination, 'COMPLETE');
    const notes = (await readPayment(world.db, id))!.timeline.map((step) => step.note).join('\n');
    expect(notes).toMatch(/cannot stop the transfer any more/);
  });

  it('of a send without an answer from the provider first requests it again, under the same key', async () => {
    Object.assign(world.provider.switches, { isSlow: true, lostCalls: 2 });
    const destination = randomAddress();
    const id = await world.send({ amount: '6', destination });
    await world.work();
    expect(await cancel(id)).toBe('asked');
    for (let i = 0; i < 3; i++) await world.work();
    world.provider.switches.isSlow = false;
    await world.settleDown();
    await expectOneEnd(world, id, destination, 'CANCELLED');
  });
});

describe('settlement', () => {
  it('moves coins through the provider until every wallet has what its owner is owed', async () => {
    await world.person('bob', '100');
    await world.mine(4);
    await world.work();
    await world.payUser(alice, 'bob', '40');
    expect((await settleWallets(world, world.network, world.usdc)).transfers).toBe(1);
    await world.settleDown();
    const { wallets } = (await reconcile(world, world.network, world.usdc))!;
    for (const wallet of wallets) expect(wallet.coins).toBe(wallet.ledger);
    expect(await world.faults()).toEqual([]);
  });

  it('that the provider denies ends and frees its coins, and the next one moves them', async () => {
    await world.payUser(alice, 'bob', '10');
    world.provider.switches.fails = 'denied by policy';
    expect((await settleWallets(world, world.network, world.usdc)).transfers).toBe(1);
    await world.settleDown();
    const [dead] = await world.db.query<{ covers: boolean }>(
      `SELECT s.covers_seq IS NOT NULL AS covers FROM coin_moves m JOIN settlements s USING (settlement_id)
        WHERE m.state = 'dead' AND s.completed_at IS NOT NULL`,
    );
    expect(dead).toEqual({ covers: false });
    world.provider.switches.fails = undefined;
    // The wallet is skipped for a minute.
    expect((await settleWallets(world, world.network, world.usdc)).transfers).toBe(0);
    await asAdmin(world.databaseUrl, `UPDATE holdings SET refused_until = refused_until - interval '1 minute'`);
    expect((await settleWallets(world, world.network, world.usdc)).transfers).toBe(1);
    await world.settleDown();
    const { wallets } = (await reconcile(world, world.network, world.usdc))!;
    for (const wallet of wallets) expect(wallet.coins).toBe(wallet.ledger);
    expect(await world.faults()).toEqual([]);
  });

  it('just in time comes first, and the send is handed over when its coins have arrived', async () => {
    await world.person('carol');
    await world.payUser(alice, 'carol', '20');
    const destination = randomAddress();
    const id = await world.send({ amount: '20', destination, walletUsername: 'carol' });
    await world.work();
    expect(world.provider.calls.has(id)).toBe(false);
    await world.settleDown({ turns: 60 });
    await expectOneEnd(world, id, destination, 'COMPLETE');
    const notes = (await readPayment(world.db, id))!.timeline.map((step) => step.note).join('\n');
    expect(notes).toMatch(/the payment waits until they have arrived/);
  });
});

describe('coins that leave a wallet of the provider', () => {
  it('like an open transfer are held until the provider reports, and are then unexplained', async () => {
    const destination = randomAddress();
    await world.provider.steal('wallet of treasury', destination, 7_000_000n);
    const id = await sendUntold('7', destination);
    expect(await heldLogs()).toHaveLength(2);
    expect(await pausesOf()).toEqual([]);
    world.provider.switches.tellsHash = 'immediately';
    await world.work();
    expect((await world.get(id)).state).toBe('COMPLETE');
    const stolen = await listUnexplained(world.db);
    expect(stolen).toMatchObject([{ amount: 7_000_000n, walletId: treasury.walletId }]);
    expect(stolen[0]!.txHash).not.toBe((await world.get(id)).txHash);
    expect(await pausesOf()).toEqual([{ cause: 'unexplained' }]);
    await liftPause(world.db, HOME, 'unexplained');
  });

  it('unlike any open transfer pause sends when they are final', async () => {
    await world.provider.steal('wallet of treasury', randomAddress(), 1_000_000n);
    await world.mine(5);
    await world.work();
    expect(await pausesOf()).toEqual([{ cause: 'unexplained' }]);
    await liftPause(world.db, HOME, 'unexplained');
  });
});
