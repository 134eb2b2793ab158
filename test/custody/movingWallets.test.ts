/**
 * A team moves from its own keys to Circle while the service runs: new wallets, the coins follow, names and history
 * stay.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { localWallets } from '../../server/src/adapters/wallets/local/localWallets.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Keyring } from '../../server/src/core/ports.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { listMoving } from '../../server/src/custody/listMoving.ts';
import { makeWallet } from '../../server/src/customers/wallets/makeWallet.ts';
import {
  chooseOwnKeys,
  prepareServiceWallets,
  type WalletChoice,
} from '../../server/src/customers/wallets/serviceWallets.ts';
import { approvePayment } from '../../server/src/payments/sends/approvePayment.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { setUp } from '../support/circle/sendingWorld.ts';
import { asOperator, nameOperators } from '../support/operators.ts';

const home = setUp('Circle signs');
const SET = '7f3d5a10-0000-4000-8000-000000000001';
let world: CustodyWorld;
let circle: Keyring;
let people: Record<'ann' | 'ben', Holder>;

beforeAll(async () => {
  const openCircle = async (chain: Parameters<NonNullable<typeof home.options.openCircle>>[0]) => {
    circle = await home.options.openCircle!(chain);
    return circle;
  };
  world = await startCustody({}, { ...home.options, openCircle, walletProvider: 'local' });
  people = await world.fund({ ann: '60', ben: '40' });
  await prepareServiceWallets(world.db, world.wallets, chooseOwnKeys(world.wallets));
});
afterAll(() => world.stop());

const toCircle = (from: 'local' | undefined): WalletChoice => ({
  provider: 'circle',
  networks: {},
  from,
  accounts: { circle: SET },
  makers: [{ ...circle, provider: 'circle' }],
});
const providers = () => world.db.query<{ wallet_provider: string }>('SELECT wallet_provider FROM networks');

it('moves no one by mistake: without the old name, the database keeps its keys', async () => {
  await expect(prepareServiceWallets(world.db, world.wallets, toCircle(undefined))).rejects.toThrow(
    /FLORIN_WALLETS does not name/,
  );
  const strange = localWallets(randomBytes(64));
  await expect(prepareServiceWallets(world.db, strange, toCircle('local'))).rejects.toThrow(/another wallet seed/);
  expect(await providers()).toEqual([{ wallet_provider: 'local' }]);
});

it('gives everyone a new wallet, and settlement moves the coins there', async () => {
  await world.payUser(people.ann, 'ben', '5');
  await prepareServiceWallets(world.db, world.wallets, toCircle('local'));
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
  for (const { key } of jobs) await makeWallet(world.db, circle, key);
  await world.db.query(`DELETE FROM jobs WHERE kind = 'wallet'`);
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
  await prepareServiceWallets(world.db, world.wallets, toCircle(undefined));
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
  await prepareServiceWallets(world.db, world.wallets, toCircle('local'));
  await makeWallet(world.db, circle, cat.userId!);
  await world.db.query(`DELETE FROM jobs WHERE kind = 'wallet'`);
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
