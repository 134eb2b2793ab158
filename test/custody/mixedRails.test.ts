/** Coins in wallets of both kinds: wallets that sign, and wallets whose provider sends. */
import { afterEach, describe, expect, it } from 'vitest';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { backUp } from '../support/chain/backUp.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { TEST_PROVIDER } from '../support/chain/provider.ts';
import { asAdmin } from '../support/database.ts';

let world: CustodyWorld;
afterEach(() => world.stop());

async function start(walletProvider: 'local' | typeof TEST_PROVIDER): Promise<void> {
  world = await startCustody({}, { walletProvider, mixed: true });
}

const ready = async () => {
  await world.mine(4);
  await world.work();
};

const startedAt = async (moveId: string) => {
  const [row] = await world.db.query<{ started_at: Date | null; rail: string }>(
    'SELECT started_at, rail FROM coin_moves WHERE move_id = $1',
    [moveId],
  );
  return row!;
};

async function expectEven(): Promise<void> {
  const { wallets, difference } = (await reconcile(world, world.network, world.usdc))!;
  expect(difference).toBe(0n);
  for (const wallet of wallets) expect(wallet.coins).toBe(wallet.ledger);
  expect(await world.faults()).toEqual([]);
}

describe('a send that wallets of the other kind fund just in time', () => {
  it.each([
    ['the provider sends coins that EIP-3009 moved', TEST_PROVIDER, 'local', 'provider'],
    ['EIP-3009 moves coins that the provider sent', 'local', TEST_PROVIDER, 'eip3009'],
  ] as const)('waits until the coins have arrived: %s', async (_, walletProvider, coinsIn, rail) => {
    await start(walletProvider);
    const erika = await world.person('erika', '100', coinsIn);
    await world.person('carol', '5');
    await ready();
    await world.payUser(erika, 'carol', '30');
    const destination = randomAddress();
    const id = await world.send({ amount: '32', destination, walletUsername: 'carol' });
    await world.work();
    expect(await startedAt(id)).toEqual({ started_at: null, rail });
    const funding = await world.db.query<{ rail: string }>('SELECT rail FROM coin_moves WHERE funds = $1', [id]);
    expect(funding).toEqual([{ rail: rail === 'provider' ? 'eip3009' : 'provider' }]);
    await world.settleDown({ turns: 60 });
    expect((await world.get(id)).state).toBe('COMPLETE');
    expect((await world.listTransfers(destination)).length).toBe(1);
    expect(await world.balance(destination)).toBe(32_000_000n);
    await settleWallets(world, world.network, world.usdc);
    await world.settleDown({ turns: 60 });
    await expectEven();
  });

  it('waits only for the coins of the other kind, and is relayed together with the rest', async () => {
    await start('local');
    const erika = await world.person('erika', '100', TEST_PROVIDER);
    const dave = await world.person('dave', '100');
    await world.person('carol');
    await ready();
    await world.payUser(erika, 'carol', '30');
    await world.payUser(dave, 'carol', '20');
    const destination = randomAddress();
    const id = await world.send({ amount: '50', destination, walletUsername: 'carol' });
    await world.settleDown({ turns: 60 });
    expect((await world.get(id)).state).toBe('COMPLETE');
    const carried = await world.db.query<{ carrier_id: string }>(
      `SELECT DISTINCT carrier_id FROM carrier_calls WHERE move_id = $1
          OR move_id = (SELECT move_id FROM coin_moves WHERE funds = $1 AND rail = 'eip3009')`,
      [id],
    );
    expect(carried.length).toBeGreaterThan(0);
    expect(await world.balance(destination)).toBe(50_000_000n);
    expect(await world.faults()).toEqual([]);
  });

  it('finds other coins when its funding fails', async () => {
    await start('local');
    const erika = await world.person('erika', '100', TEST_PROVIDER);
    const dave = await world.person('dave', '40');
    await world.person('carol');
    await ready();
    await world.payUser(erika, 'carol', '30');
    world.provider.switches.fails = 'denied by policy';
    const destination = randomAddress();
    const id = await world.send({ amount: '30', destination, walletUsername: 'carol' });
    for (let i = 0; i < 8; i++) {
      await world.work();
      await world.mine();
    }
    expect((await startedAt(id)).started_at).toBeNull();
    world.provider.switches.fails = undefined;
    await world.payUser(dave, 'erika', '1');
    // The refused wallet is tried again after a while.
    await asAdmin(world.databaseUrl, 'UPDATE holdings SET refused_until = now() WHERE refused_until IS NOT NULL');
    await world.settleDown({ turns: 60 });
    expect((await world.get(id)).state).toBe('COMPLETE');
    expect(await world.balance(destination)).toBe(30_000_000n);
    expect(await world.faults()).toEqual([]);
  });
});

it('settlement brings every wallet to what its owner is owed, on any rail', async () => {
  await start('local');
  const people = [
    await world.person('ann', '100'),
    await world.person('ben', '100', TEST_PROVIDER),
    await world.person('cem', '100'),
    await world.person('dora', '100', TEST_PROVIDER),
  ];
  await ready();
  for (let i = 0; i < 12; i++) {
    await world.payUser(people[i % 4]!, people[(i * 3 + 1) % 4]!.username, `1.0000${i + 10}`).catch(() => {});
  }
  await settleWallets(world, world.network, world.usdc);
  await world.settleDown({ turns: 60 });
  await expectEven();
});

it('a provider’s transfer that a deep reorg reverts is made again; what is COMPLETE stays', async () => {
  await start(TEST_PROVIDER);
  await world.treasury('100');
  await ready();
  await world.mine(12);
  await world.work();
  const destination = randomAddress();
  const id = await world.send({ amount: '5', destination });
  for (let i = 0; i < 6; i++) {
    await world.work();
    await world.mine();
  }
  await world.work();
  expect((await world.get(id)).state).toBe('COMPLETE');
  await world.turn('/reorg', { depth: 7, orphans: 'drop' });
  expect(await world.balance(destination)).toBe(0n);
  for (let i = 0; i < 14; i++) {
    await world.mine();
    await world.work();
  }
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect((await world.listTransfers(destination)).length).toBe(1);
  const open = await world.db.query(`SELECT FROM coin_moves WHERE state = 'open'`);
  expect(open).toEqual([]);
  expect(await world.faults()).toEqual([]);
});

it('a restored database that lost its handover finds the transfer under the same key', async () => {
  await start(TEST_PROVIDER);
  await world.treasury('100');
  await ready();
  const destination = randomAddress();
  const id = await world.send({ amount: '9', destination });
  const goBack = await backUp(world);
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  await goBack();
  while (await trackPayments(world, world.network));
  // A transfer that may be this payment: no pause, nothing counted yet.
  expect(await world.db.query('SELECT FROM held_logs')).toHaveLength(1);
  expect(await world.db.query('SELECT FROM pauses')).toEqual([]);
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect((await world.listTransfers(destination)).length).toBe(1);
  expect(world.provider.calls.get(id)).toBe(2);
  expect(await world.faults()).toEqual([]);
});
