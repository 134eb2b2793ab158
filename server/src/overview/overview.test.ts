import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LocalChain } from '../../../sandbox/src/chain/openLocalChain.ts';
import { type Operator, operateToken } from '../../../sandbox/src/chain/operateToken.ts';
import { type ServedTestChain, serveTestChain } from '../../../test/support/chain/serveTestChain.ts';
import { useTestDatabase } from '../../../test/support/database/useTestDatabase.ts';
import { hold, transfer } from '../../../test/support/ledger/moveMoney.ts';
import { openUserAccount } from '../../../test/support/ledger/openUserAccount.ts';
import { viemChain } from '../adapters/chain/viemChain.ts';
import { feedRates } from '../adapters/rates/feedRates.ts';
import { feeds } from '../adapters/rates/feeds.ts';
import { localWallets } from '../adapters/wallets/local/localWallets.ts';
import type { Usdc } from '../core/money.ts';
import type { Chain, Hex } from '../core/ports.ts';
import { openAsset, openHouseAccount } from '../ledger/accounts.ts';
import { type Overviews, openOverview } from './openOverview.ts';
import { refreshBalances } from './refreshBalances.ts';
import { refreshRates } from './refreshRates.ts';

const keys = localWallets(Buffer.alloc(64, 3));

const database = useTestDatabase();
const { db } = database;
let local: LocalChain;
let served: ServedTestChain;
let operator: Operator;
let chain: Chain;
let overviews: Overviews;

beforeAll(async () => {
  served = await serveTestChain();
  local = served.local;
  operator = operateToken(local);
  await local.mine({ count: 5 });
  chain = viemChain(served.config);
  overviews = openOverview({ databaseUrl: database.url, chains: [chain], currency: 'USDC' });
});
afterAll(async () => {
  await overviews.close();
  await served.close();
});

/** A person with a wallet; the ledger opens their account when it first needs one. */
async function createPerson(name: string): Promise<{ userId: string; address: Hex }> {
  const userId = randomUUID();
  const { address, reference } = await keys.create({ kind: 'user', issuer: 'test', subject: name });
  await db.query("INSERT INTO users (user_id, issuer, subject) VALUES ($1, 'test', $2)", [userId, name]);
  await db.query(
    "INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address) VALUES ($1, 'user', $2, 'local', $3, $4)",
    [randomUUID(), userId, reference, address],
  );
  return { userId, address };
}
const refresh = () => refreshBalances({ db, chain });
const readBalance = async (address: Hex) => (await overviews.read(address)).balances[0]!;
let people = 0;
let someone: { userId: string; address: Hex };
beforeEach(async () => {
  someone = await createPerson(`person ${people++}`);
});

describe('a wallet of ours', () => {
  it('is unknown until the first reading; after it an overview needs no call to the chain', async () => {
    expect(await readBalance(someone.address)).toMatchObject({
      available: '0',
      onchain: null,
      blockNumber: null,
      isStale: true,
    });
    await refresh();
    await fetch(`${served.url}/faults`, { method: 'POST', body: '{"rpc":{"down":true}}' });
    expect(await readBalance(someone.address.toLowerCase() as Hex)).toMatchObject({
      onchain: '0',
      blockNumber: String(local.head),
      isStale: false,
    });
    await fetch(`${served.url}/faults`, { method: 'DELETE' });
  });

  it('shows incoming coins as pending until they are final', async () => {
    await refresh();
    await operator.mint(someone.address, 2_500_000n);
    await local.mine();
    await refresh();
    expect(await readBalance(someone.address)).toMatchObject({ onchain: '2500000', pendingIn: '2500000' });
    await local.mine({ count: 3 });
    await refresh();
    expect(await readBalance(someone.address)).toMatchObject({ onchain: '2500000', pendingIn: '0' });
  });

  it('no longer shows coins that a reorg removed', async () => {
    await refresh();
    await operator.mint(someone.address, 7n);
    await local.mine();
    await refresh();
    expect(await readBalance(someone.address)).toMatchObject({ onchain: '7', pendingIn: '7' });
    await local.reorg(1, 'drop');
    await refresh();
    expect(await readBalance(someone.address)).toMatchObject({
      onchain: '0',
      pendingIn: '0',
      blockNumber: String(local.head),
    });
  });

  it('is written once when several processes read it', async () => {
    await operator.mint(someone.address, 9n);
    await local.mine();
    await Promise.all([refresh(), refresh(), refresh()]);
    expect(await readBalance(someone.address)).toMatchObject({ onchain: '9' });
  });

  it('is not read again when another process has just read it', async () => {
    await refresh();
    let asked = 0;
    const counted: Chain = {
      ...chain,
      getHead: () => {
        asked++;
        return chain.getHead();
      },
    };
    await refreshBalances({ db, chain: counted }, 600_000);
    expect(asked).toBe(0);
    await refreshBalances({ db, chain: counted });
    expect(asked).toBe(1);
  });

  it('shows the ledger’s balance in the very next overview', async () => {
    await refresh();
    const asset = await openAsset(db, 'ETH-SEPOLIA', 'USDC');
    const [account, outside] = await Promise.all([
      openUserAccount(db, asset, someone.userId),
      openHouseAccount(db, asset, 'chain'),
    ]);
    const move = { debitAccount: outside, creditAccount: account };
    await db.tx((tx) => transfer(tx, 'deposit', { transferId: randomUUID(), ...move, amount: 10_000_000n as Usdc }));
    expect(await readBalance(someone.address)).toMatchObject({ available: '10000000', held: '0' });
    const back = { debitAccount: account, creditAccount: outside };
    await db.tx((tx) => hold(tx, { transferId: randomUUID(), ...back, amount: 4_000_000n as Usdc }));
    expect(await readBalance(someone.address)).toMatchObject({ available: '6000000', held: '4000000' });
  });

  it('may be the treasury', async () => {
    const { address, reference } = await keys.create({ kind: 'treasury' });
    await db.query(
      "INSERT INTO wallets (wallet_id, kind, provider, reference, address) VALUES ($1, 'treasury', 'local', $2, $3)",
      [randomUUID(), reference, address],
    );
    const asset = await openAsset(db, 'ETH-SEPOLIA', 'USDC');
    const [treasury, outside] = await Promise.all([
      openHouseAccount(db, asset, 'treasury'),
      openHouseAccount(db, asset, 'chain'),
    ]);
    const move = { debitAccount: outside, creditAccount: treasury, amount: 5n as Usdc };
    await db.tx((tx) => transfer(tx, 'deposit', { transferId: randomUUID(), ...move }));
    expect(await readBalance(address)).toMatchObject({ available: '5' });
  });

  it('is stale when the chain was not read for a while', async () => {
    await refresh();
    await db.query("UPDATE chain_heads SET seen_at = now() - interval '1 minute'");
    expect((await readBalance(someone.address)).isStale).toBe(true);
  });
});

describe('a foreign wallet', () => {
  const stranger = '0x00000000000000000000000000000000000A11cE';

  it('is read from the chain and looks the same', async () => {
    await operator.mint(stranger, 42n);
    await local.mine();
    expect(await readBalance(stranger)).toMatchObject({
      available: '0',
      held: '0',
      onchain: '42',
      blockNumber: String(local.head),
      isStale: false,
    });
  });

  it('is not waited for when its chain does not answer', async () => {
    // Longer than this test may take: had it waited, there would be no answer.
    await fetch(`${served.url}/faults`, { method: 'POST', body: '{"rpc":{"delay_ms":600000}}' });
    expect(await readBalance('0x00000000000000000000000000000000000000b0')).toMatchObject({
      onchain: null,
      isStale: true,
    });
    await fetch(`${served.url}/faults`, { method: 'DELETE' });
  });
});

describe('rates', () => {
  it('are kept, grow stale, and are never replaced by older ones', async () => {
    const sources = [feedRates(chain, feeds['ETH-SEPOLIA']!)];
    await refreshRates({ db, rates: sources }, () => expect.unreachable());
    const fresh = openOverview({ databaseUrl: database.url, chains: [chain], currency: 'USDC' });
    const { rates } = await fresh.read(someone.address);
    expect(rates.map(({ pair, price, isStale }) => [pair, price, isStale])).toEqual([
      ['USDC/USD', '0.99987', false],
      ['ETH/USD', '3512.44', false],
      ['EUR/USD', '1.0865', false],
    ]);
    await fresh.close();

    const old = { pair: 'ETH/USD', price: '1', asOf: new Date(0), maxAgeSeconds: 60, source: 'chainlink:ETH-SEPOLIA' };
    await refreshRates({ db, rates: [{ read: async () => [old] }] }, () => expect.unreachable());
    await db.query("UPDATE rates SET as_of = now() - interval '2 days' WHERE pair = 'EUR/USD'");
    const reported: string[] = [];
    const broken = { read: () => Promise.reject(new Error('away')) };
    await refreshRates({ db, rates: [broken] }, (what) => reported.push(what));
    expect(reported).toEqual(['a source of rates']);
    const later = openOverview({ databaseUrl: database.url, chains: [chain], currency: 'USDC' });
    const now = (await later.read(someone.address)).rates;
    expect(now.map(({ price, isStale }) => [price, isStale])).toEqual([
      ['0.99987', false],
      ['3512.44', false],
      ['1.0865', true],
    ]);
    await later.close();
  });
});
