/**
 * What people see as incoming: coins that will raise their balance, and no coins that the service moves between
 * wallets.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { type Overviews, openOverview } from '../../server/src/overview/openOverview.ts';
import { refreshBalances } from '../../server/src/overview/refreshBalances.ts';
import { type CustodyWorld, type Holder, startCustody } from '../support/chain/custody.ts';

let world: CustodyWorld;
let overviews: Overviews;
let alice: Holder;
let bob: Holder;
beforeAll(async () => {
  world = await startCustody();
  ({ alice, bob } = await world.fund({ alice: '100', bob: '0.5' }));
  overviews = openOverview({ databaseUrl: world.databaseUrl, chains: [world.chain], currency: 'USDC' });
});
afterAll(async () => {
  await overviews.close();
  await world.stop();
});

/** Bob's balance and incoming amount. */
async function readBob(): Promise<string[]> {
  await refreshBalances(world);
  const [balance] = (await overviews.read(bob.address)).balances;
  return [balance!.available, balance!.pendingIn];
}

/** Until one more transfer to Bob's wallet is in the newest block. */
async function mineTransfer(): Promise<void> {
  const count = async () => (await world.listTransfers(bob.address)).length;
  const before = await count();
  while ((await count()) === before) {
    await world.work();
    await world.mine();
  }
}

it('M26: counts transfers from outside and sends of others, and no settlement', async () => {
  await world.payUser(alice, 'bob', '40');
  expect(await settleWallets(world, world.network, world.usdc)).toEqual({ transfers: 1, amount: 40_000_000n });
  await mineTransfer();
  expect(await readBob()).toEqual(['40500000', '0']);
  await world.turn('/faucet', { address: bob.address, usdc: '7' });
  await world.mine();
  expect(await readBob()).toEqual(['40500000', '7000000']);
  await world.settleDown();
  expect(await readBob()).toEqual(['47500000', '0']);
  // A settlement and a payment to his address, of the same amount and between the same wallets.
  await world.payUser(alice, 'bob', '5');
  await world.send({ walletId: alice.walletId, destination: bob.address.toLowerCase(), amount: '5' });
  await settleWallets(world, world.network, world.usdc);
  await mineTransfer();
  while ((await world.db.query('SELECT FROM coin_moves WHERE state = $1 AND started_at IS NULL', ['open'])).length > 0)
    await world.work();
  await world.mine();
  expect(await readBob()).toEqual(['52500000', '5000000']);
  await world.settleDown();
  expect(await readBob()).toEqual(['57500000', '0']);
});
