/**
 * A team moves from its own keys to Circle while the service runs: new wallets, the coins follow, names and history
 * stay.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { localWallets } from '../../server/src/adapters/wallets/local/localWallets.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { listMoving } from '../../server/src/custody/listMoving.ts';
import {
  chooseOwnKeys,
  prepareServiceWallets,
  type WalletChoice,
} from '../../server/src/customers/wallets/serviceWallets.ts';
import { approvePayment } from '../../server/src/payments/sends/approvePayment.ts';
import { type CustodyWorld, type Holder, randomAddress } from '../support/chain/custody.ts';
import { startMovingWorld } from '../support/circle/movingWorld.ts';
import { asOperator, nameOperators } from '../support/operators.ts';

let world: CustodyWorld;
let moving: Awaited<ReturnType<typeof startMovingWorld>>;
let people: Record<'ann' | 'ben', Holder>;

beforeAll(async () => {
  moving = await startMovingWorld();
  world = moving.world;
  people = await world.fund({ ann: '60', ben: '40' });
});
afterAll(() => world.stop());

const providers = () => world.db.query<{ wallet_provider: string }>('SELECT wallet_provider FROM networks');

it('moves no one by mistake: without the old name, the database keeps its keys', async () => {
  await expect(prepareServiceWallets(world.db, world.wallets, moving.toCircle(undefined))).rejects.toThrow(
    /FLORIN_WALLETS does not name/,
  );
  const strange = localWallets(randomBytes(64));
  await expect(prepareServiceWallets(world.db, strange, moving.toCircle('local'))).rejects.toThrow(
    /another wallet seed/,
  );
  expect(await providers()).toEqual([{ wallet_provider: 'local' }]);
});

it('gives everyone a new wallet, and settlement moves the coins there', async () => {
  await world.payUser(people.ann, 'ben', '5');
  await prepareServiceWallets(world.db, world.wallets, moving.toCircle('local'));
  expect(await providers()).toEqual([{ wallet_provider: 'circle' }]);
  const jobs = await world.db.query<{ key: string }>(`SELECT key FROM jobs WHERE kind = 'wallet' ORDER BY key`);
  expect(jobs.map(({ key }) => key)).toEqual([people.ann.userId!, people.ben.userId!].sort());
  expect(await listMoving(world.db)).toMatchObject([
    { provider: 'circle', waiting: 2, coins: 100_000_000n, wallets: 2 },
  ]);
  // People without a new wallet can pay people; their sends to addresses wait.
  await world.payUser(people.ben, 'ann', '1');
  await expect(world.send({ amount: '1', payerId: people.ann.userId! })).rejects.toMatchObject({
    code: 'wallet.pending',
  });
  await moving.moveToCircle(Object.values(people));
  await settleWallets(world, world.network, world.usdc);
  await world.settleDown({ turns: 60 });
  expect(await listMoving(world.db)).toMatchObject([{ waiting: 0, coins: 0n, wallets: 0 }]);
  const destination = randomAddress();
  const id = await world.send({ amount: '56', destination, walletUsername: 'ann' });
  await world.settleDown({ turns: 60 });
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.balance(destination)).toBe(56_000_000n);
  expect(await world.faults()).toEqual([]);
});

it('credits deposits to an old address to its owner, and moves them on', async () => {
  await world.turn('/faucet', { address: people.ben.address, usdc: '7' });
  await world.credit();
  await settleWallets(world, world.network, world.usdc);
  await world.settleDown({ turns: 60 });
  expect(await world.balance(people.ben.address)).toBe(0n);
  const destination = randomAddress();
  const id = await world.send({ amount: '51', destination, walletUsername: 'ben' });
  await world.settleDown({ turns: 60 });
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.faults()).toEqual([]);
});

it('continues without the old name, and back with it', async () => {
  await prepareServiceWallets(world.db, world.wallets, moving.toCircle(undefined));
  const back: WalletChoice = { ...chooseOwnKeys(world.wallets), from: 'circle' };
  await expect(prepareServiceWallets(world.db, world.wallets, { ...back, from: undefined })).rejects.toThrow(
    /FLORIN_WALLETS/,
  );
  await prepareServiceWallets(world.db, world.wallets, back);
  expect(await providers()).toEqual([{ wallet_provider: 'local' }]);
});

it('pays sends that waited for approvals while the coins moved to other wallets', async () => {
  const { cat } = await world.fund({ cat: '30' });
  await nameOperators(world.databaseUrl, { anna: 'admin', rita: 'risk' });
  world.sendRules = { approvalThreshold: parseUsdc('1'), newRecipientDelaySeconds: 0 };
  const destination = randomAddress();
  const ids = [
    await world.send({ amount: '20', destination, walletUsername: 'cat' }),
    await world.send({ amount: '5', destination, walletUsername: 'cat' }),
  ];
  await moving.moveToCircle([cat]);
  await settleWallets(world, world.network, world.usdc);
  await world.settleDown({ turns: 60 });
  expect(await world.balance(cat.address)).toBe(0n);
  for (const id of ids)
    for (const name of ['anna', 'rita'] as const) {
      const approved = asOperator(world.databaseUrl, name, (db) => approvePayment({ db }, id));
      expect((await approved).outcome).toBe('approved');
    }
  await world.settleDown({ turns: 60 });
  expect((await Promise.all(ids.map((id) => world.get(id)))).map(({ state }) => state)).toEqual([
    'COMPLETE',
    'COMPLETE',
  ]);
  expect(await world.balance(destination)).toBe(25_000_000n);
  expect(await world.faults()).toEqual([]);
});
