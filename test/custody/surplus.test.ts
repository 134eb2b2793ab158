/**
 * More coins on the chain than the logs explain (M33): on Arc a plain transfer of the native coin causes this. A
 * surplus never stops sends; two operators can credit it, or it stays. Missing coins still stop sends.
 */
import { encodeAbiParameters, keccak256, numberToHex } from 'viem';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Hex } from '../../server/src/core/ports.ts';
import { applyCorrection, readDifferences } from '../../server/src/custody/coins/correctionEffect.ts';
import { pauseOnDrift } from '../../server/src/custody/coins/pauseOnDrift.ts';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { type CustodyWorld, type Holder, startCustody } from '../support/chain/custody.ts';
import { operate } from '../support/operate.ts';
import { asOperator, nameOperators, type OperatorName } from '../support/operators.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let alice: Holder;
let bob: Holder;
beforeEach(async () => {
  world = await startCustody();
  ({ alice, bob } = await world.fund({ alice: '10', bob: '10' }));
  await nameOperators(world.databaseUrl, { anna: 'admin', rita: 'risk' });
});
afterEach(() => world.stop());

/** The storage slot of the test token's balances. */
const STATES_SLOT = 2n;

/** Changes a wallet's balance in the token without a log; the change is final when this returns. */
async function changeBalance(address: Hex, by: bigint): Promise<void> {
  const words = encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [address, STATES_SLOT]);
  const balance = numberToHex((await world.balance(address)) + by, { size: 32 });
  await world.local.read('hardhat_setStorageAt', [world.usdc.contract, keccak256(words), balance]);
  await world.credit();
}

async function poll(): Promise<unknown[]> {
  for (let i = 0; i < 3; i++) await pauseOnDrift(world, world.network);
  return world.db.query('SELECT cause FROM pauses');
}

const type = (who: OperatorName, ...args: string[]) => asOperator(world.databaseUrl, who, (db) => operate(db, ...args));

/** The differences afterwards are those that the operators have seen. */
async function correct(way: '--more' | '--less', usdc: string, wallet?: Holder): Promise<void> {
  const read = () => readDifferences(world.db, world.usdc.assetId, wallet?.walletId);
  const planned = applyCorrection(await read(), (way === '--more' ? 1n : -1n) * parseUsdc(usdc), wallet !== undefined);
  const args = [way, usdc, ...(wallet ? ['--wallet', wallet.walletId] : [])];
  const said = await type('anna', 'books', 'correct', HOME, ...args, '--why', 'a native coin');
  await type('rita', 'books', 'approve', /Proposed as ([0-9a-f-]+)\./.exec(said)![1]!);
  expect(await read()).toEqual(planned);
}

const available = async ({ userId }: Holder): Promise<bigint> =>
  (await world.db.query<{ sum: bigint }>('SELECT available AS sum FROM accounts WHERE user_id = $1', [userId]))[0]!.sum;

it('is recorded, shown and left alone; sends continue, also after a restart', async () => {
  await changeBalance(alice.address, 10_000n);
  expect(await poll()).toEqual([]);
  expect(await world.db.query('SELECT subject, difference::int FROM drifts')).toEqual([
    { subject: `wallet ${alice.walletId}`, difference: 10_000 },
  ]);
  const shown = await type('anna', 'books', 'check');
  expect(shown).toMatch(/Every move is accounted for/);
  expect(shown).toMatch(new RegExp(`wallet +${alice.walletId}\namount +0.01 USDC`));
  const { wallets, difference } = (await reconcile(world, world.network, world.usdc))!;
  expect(difference).toBe(0n);
  expect(wallets.find(({ walletId }) => walletId === alice.walletId)!.difference).toBe(10_000n);
  await world.db.close();
  world.db = openDatabase(world.databaseUrl);
  expect(await poll()).toEqual([]);
  const id = await world.send({ amount: '10', walletUsername: 'alice' });
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await poll()).toEqual([]);
});

it('is credited to the owner of the wallet by two operators, and then counts', async () => {
  await changeBalance(alice.address, 10_000n);
  await poll();
  await correct('--more', '0.01', alice);
  expect(await available(alice)).toBe(10_010_000n);
  expect(await world.faults()).toEqual([]);
  expect(await poll()).toEqual([]);
  expect(await world.db.query('SELECT FROM drifts')).toEqual([]);
  // They are coins like any others.
  const id = await world.send({ amount: '10.01', walletUsername: 'alice' });
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.faults()).toEqual([]);
});

it('belongs to the service when no wallet is named; a surplus that no one has recorded does not count', async () => {
  await changeBalance(alice.address, 10_000n);
  await poll();
  await correct('--more', '0.01');
  expect(await world.faults()).toEqual([]);
  expect(await poll()).toEqual([]);
  // Bob gets it out of `loss`: his wallet has no more than was counted.
  await correct('--more', '0.01', bob);
  expect(await available(bob)).toBe(10_010_000n);
  expect(await world.faults()).toEqual([]);
  expect(await poll()).toEqual([]);
});

it('is not confused with coins that a rescan is unsure about', async () => {
  await world.payUser(bob, 'alice', '5');
  await settleWallets(world, world.network, world.usdc);
  await world.settleDown();
  expect(await world.balance(alice.address)).toBe(15_000_000n);
  await changeBalance(alice.address, 10_000n);
  await poll();
  await type('anna', 'wallet', 'rescan', 'alice', HOME);
  await world.work();
  await world.work();
  expect(await world.db.query('SELECT FROM wallet_rescans')).toEqual([]);
  expect(await poll()).toEqual([]);
  const { wallets, difference } = (await reconcile(world, world.network, world.usdc))!;
  expect([difference, wallets.find(({ walletId }) => walletId === alice.walletId)!.difference]).toEqual([0n, 10_000n]);
});

it('the owner or the service bears coins that disappear without a log, and sends continue', async () => {
  await changeBalance(alice.address, -2_000_000n);
  expect(await poll()).toEqual([{ cause: 'drift' }]);
  await correct('--less', '1.5', alice);
  await correct('--less', '0.5');
  await type('anna', 'pause', 'remove', `chain:${HOME}`, '--cause', 'drift');
  expect(await available(alice)).toBe(8_500_000n);
  expect(await world.faults()).toEqual([]);
  expect(await poll()).toEqual([]);
  const id = await world.send({ amount: '8', walletUsername: 'alice' });
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.faults()).toEqual([]);
});

it('costs no more to follow when there are many, and a wallet with too few coins still stops sends', async () => {
  await changeBalance(alice.address, 10_000n);
  await poll();
  let asked = 0;
  const readBalances: typeof world.chain.readBalances = (token, wallets, at) => {
    asked += wallets.length;
    return world.chain.readBalances(token, wallets, at);
  };
  // The round's position is after every wallet: only wallets that differ or have changed are queried.
  await world.db.query(`UPDATE asset_positions SET checked_to = 'ffffffff-ffff-ffff-ffff-ffffffffffff'`);
  await pauseOnDrift(world, { ...world.network, chain: { ...world.chain, readBalances } });
  expect(asked).toBe(0);
  await changeBalance(bob.address, -1n);
  expect(await poll()).toEqual([{ cause: 'drift' }]);
});
