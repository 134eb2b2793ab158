/**
 * Wallets whose history was not read: they are rescanned, automatically or when an operator asks, and credited once.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pauseOnDrift } from '../../server/src/custody/coins/pauseOnDrift.ts';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { listRescans } from '../../server/src/custody/watch/rescans.ts';
import { listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { rescanWallet } from '../../server/src/payments/tracking/rescanWallet.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { backUp } from '../support/chain/backUp.ts';
import { at, createMortal } from '../support/chain/crash.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { TEST_PROVIDER } from '../support/chain/provider.ts';
import { asAdmin, urlAs } from '../support/database.ts';

let world: CustodyWorld;
beforeEach(async () => {
  world = await startCustody();
});
afterEach(() => world.stop());

async function track(): Promise<void> {
  while (await trackPayments(world, world.network));
}

async function readAvailable({ userId }: Holder): Promise<bigint | undefined> {
  const [row] = await world.db.query<{ available: bigint }>('SELECT available FROM accounts WHERE user_id = $1', [
    userId,
  ]);
  return row?.available;
}

const countRescans = async (): Promise<number> =>
  (await world.db.query<{ n: number }>('SELECT count(*)::int AS n FROM wallet_rescans'))[0]!.n;

describe('after a restored backup', () => {
  it('a person who registers again gets the coins received in between, also when the worker dies during it', async () => {
    const { bob } = await world.fund({ bob: '100' });
    const goBack = await backUp(world);
    const first = await world.person('zoe', '30');
    await world.credit();
    expect(await readAvailable(first)).toBe(30_000_000n);
    await goBack();
    await world.mine(2);
    await track();

    const zoe = await world.person('zoe');
    expect(zoe.address).toBe(first.address);
    for (const words of ['SET next_block = $3', 'SELECT credit_deposits', 'UPDATE wallet_rescans SET next_block']) {
      const mortal = createMortal(world, at('before', 'tx.query', words));
      await expect(trackPayments({ ...world, ...mortal }, world.network)).rejects.toThrow();
    }

    // Its nodes have pruned old blocks: the watcher continues, and tries again later.
    const pruned = { ...world.chain, listTokenLogs: () => Promise.reject(new Error('history has been pruned')) };
    await trackPayments(world, { ...world.network, chain: pruned });
    expect(await world.db.query('SELECT fault FROM wallet_rescans')).toEqual([{ fault: 'history has been pruned' }]);
    await track();
    expect(await readAvailable(zoe)).toBe(0n);
    await asAdmin(world.databaseUrl, 'UPDATE wallet_rescans SET retry_at = now()');
    await track();
    expect(await readAvailable(zoe)).toBe(30_000_000n);
    expect(await readAvailable(bob)).toBe(100_000_000n);
    expect(await countRescans()).toBe(0);
    expect(await world.faults()).toEqual([]);
  });

  it('a person who registers again and repeats sends before the rescan ends: paid stays paid, cancelled is released', async () => {
    await world.fund({ treasury: '10' });
    const goBack = await backUp(world);
    const first = await world.person('zoe', '30');
    await world.credit();
    const deposited = (await world.chain.getFinalized()).number;
    const sends = ['7', '9'].map((amount) => ({
      amount,
      destination: randomAddress(),
      walletUsername: 'zoe',
      key: { caller: 'web3', route: '/wallet/send-usdc', text: randomUUID() },
    }));
    const [paid, cancelled] = [await world.send(sends[0]!), await world.send(sends[1]!)];
    await world.work();
    await world.db.tx((tx) => cancelPayment(tx, { paymentId: cancelled }));
    await world.settleDown();
    expect([(await world.get(paid)).state, (await world.get(cancelled)).state]).toEqual(['COMPLETE', 'CANCELLED']);
    await goBack();
    await track();

    const zoe = await world.person('zoe');
    expect(zoe.address).toBe(first.address);
    // Only her deposit is read so far.
    await asAdmin(world.databaseUrl, 'UPDATE wallet_rescans SET next_block = 0, to_block = $1', [deposited]);
    await track();
    expect(await readAvailable(zoe)).toBe(30_000_000n);
    for (const [i, id] of [paid, cancelled].entries()) expect(await world.send(sends[i]!)).toBe(id);
    expect(await readAvailable(zoe)).toBe(14_000_000n);

    expect(await rescanWallet(world, world.network, zoe.walletId, deposited + 1n)).toBe(true);
    expect([(await world.get(paid)).state, (await world.get(cancelled)).state]).toEqual(['COMPLETE', 'CANCELLED']);
    expect(await readAvailable(zoe)).toBe(23_000_000n);
    await world.settleDown();
    expect(await world.balance(zoe.address)).toBe(23_000_000n);
    expect(await world.faults()).toEqual([]);
  });
});

describe('a wallet that cannot be rescanned', () => {
  it('hides no other wallet from reconciliation', async () => {
    const { alice, bob } = await world.fund({ alice: '10', bob: '20' });
    // The watcher no longer counts them as new.
    await track();
    await asAdmin(
      world.databaseUrl,
      `INSERT INTO wallet_rescans (asset_id, wallet_id, next_block, to_block, fault, retry_at)
       VALUES ($1, $2, 0, 1, 'history has been pruned', 'infinity') ON CONFLICT (asset_id, wallet_id) DO UPDATE
         SET next_block = 0, to_block = 1, fault = excluded.fault, retry_at = excluded.retry_at`,
      [world.usdc.assetId, alice.walletId],
    );
    const change = (walletId: string) =>
      asAdmin(world.databaseUrl, 'UPDATE holdings SET coins = coins + 1 WHERE wallet_id = $1', [walletId]);
    await change(alice.walletId);
    const poll = async () => {
      for (let i = 0; i < 2; i++) await pauseOnDrift(world, world.network);
      return world.db.query('SELECT scope, cause FROM pauses');
    };
    // Its own coins, and with them the sum, are known only after the rescan.
    expect(await poll()).toEqual([]);
    const { wallets, difference } = (await reconcile(world, world.network, world.usdc))!;
    expect(difference).toBeUndefined();
    const { difference: own, isRescanned } = wallets.find(({ walletId }) => walletId === alice.walletId)!;
    expect([own, isRescanned]).toEqual([0n, true]);
    expect(await listRescans(world.db, world.usdc.assetId)).toMatchObject([
      { walletId: alice.walletId, fault: 'history has been pruned' },
    ]);
    await change(bob.walletId);
    expect(await poll()).toMatchObject([{ cause: 'drift' }]);
    expect(await world.db.query('SELECT subject FROM drifts')).toEqual([{ subject: `wallet ${bob.walletId}` }]);
  });
});

describe('a repeated rescan', () => {
  it('continues from the earlier block, and forgets what was unclear only when that is read again', async () => {
    const { alice } = await world.fund({ alice: '10' });
    await track();
    const ask = async (from: bigint) => {
      await world.db.query('SELECT ask_rescan($1, $2, $3)', [world.network.networkId, alice.walletId, from]);
      return world.db.query('SELECT next_block, unclear::int FROM wallet_rescans');
    };
    expect(await ask(4n)).toEqual([{ next_block: 4n, unclear: 0 }]);
    await asAdmin(world.databaseUrl, 'UPDATE wallet_rescans SET unclear = 7');
    expect(await ask(5n)).toEqual([{ next_block: 4n, unclear: 7 }]);
    expect(await ask(3n)).toEqual([{ next_block: 3n, unclear: 0 }]);
  });
});

describe('a wallet of a provider', () => {
  it('is rescanned without counting its outflows twice, held ones included', async () => {
    await world.stop();
    world = await startCustody({}, { walletProvider: TEST_PROVIDER });
    const { alice, bob } = await world.fund({ alice: '50', bob: '0' });
    world.provider.switches.tellsHash = 'immediately';
    for (const destination of [randomAddress(), bob.address]) {
      await world.send({ amount: '5', destination, walletUsername: 'alice' });
    }
    await world.settleDown();
    const before = [await readAvailable(alice), await readAvailable(bob)];
    expect(before).toEqual([40_000_000n, 5_000_000n]);
    for (const { walletId } of [alice, bob]) await rescanWallet(world, world.network, walletId, 0n);
    expect([await readAvailable(alice), await readAvailable(bob)]).toEqual(before);
    expect(await listUnexplained(world.db)).toEqual([]);
    expect(await world.faults()).toEqual([]);

    // On its way to another wallet of ours, final, and the provider has not reported what it is.
    world.provider.switches.tellsHash = 'never';
    await world.send({ amount: '3', destination: bob.address, walletUsername: 'alice' });
    await world.work();
    await world.mine(5);
    await world.work();
    expect(await world.db.query('SELECT amount FROM held_logs')).toEqual([{ amount: 3_000_000n }]);
    for (const { walletId } of [alice, bob]) await rescanWallet(world, world.network, walletId, 0n);
    expect(await world.faults()).toEqual([]);
    world.provider.switches.tellsHash = 'immediately';
    await world.settleDown();
    expect([await readAvailable(alice), await readAvailable(bob)]).toEqual([37_000_000n, 8_000_000n]);
    expect(await world.faults()).toEqual([]);
  });
});

describe('coins that arrived before the watcher began', () => {
  it('are credited once when a wallet is rescanned from an earlier block', async () => {
    const early = await world.person('early', '40');
    await world.mine(6);
    // Watching begins at the final block, after the coins.
    const { startBlock: _, ...settings } = world.network.settings;
    world.network = { ...world.network, settings };
    await track();
    expect(await readAvailable(early)).toBeUndefined();
    await world.turn('/faucet', { address: early.address, usdc: '2' });
    await world.mine(4);
    await track();
    expect(await readAvailable(early)).toBe(2_000_000n);

    expect(await rescanWallet(world, world.network, early.walletId, 0n)).toBe(true);
    expect(await readAvailable(early)).toBe(42_000_000n);
    expect(await world.faults()).toEqual([]);
    const id = await world.send({ amount: '42', walletUsername: 'early', destination: randomAddress() });
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');

    // Operators only request it; the worker does it.
    const operator = openDatabase(urlAs(world.databaseUrl, 'operator'));
    const asked = await operator.query('SELECT ask_rescan(network_id, $1, 0) AS asked FROM networks', [early.walletId]);
    expect(asked).toEqual([{ asked: true }]);
    await operator.close();
    await track();
    expect(await countRescans()).toBe(0);
    expect(await readAvailable(early)).toBe(0n);
    expect(await world.faults()).toEqual([]);
    expect(await world.db.query('SELECT scope FROM pauses')).toEqual([]);
  });
});
