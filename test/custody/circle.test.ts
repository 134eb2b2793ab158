/** People's wallets with keys at Circle: Circle signs, we relay, and the token sees no difference. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCircleDouble, startCircleDouble } from '../../sandbox/src/circle/startCircleDouble.ts';
import { circleWallets } from '../../server/src/adapters/wallets/circle/circleWallets.ts';
import { openCircle } from '../../server/src/adapters/wallets/circle/openCircle.ts';
import { getWalletSet } from '../../server/src/adapters/wallets/circle/walletSets.ts';
import { localWallets } from '../../server/src/adapters/wallets/local/localWallets.ts';
import type { Hex, Identity, Keyring } from '../../server/src/core/ports.ts';
import type { Signer } from '../../server/src/core/signer.ts';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { login } from '../../server/src/customers/login/login.ts';
import { makeWallet } from '../../server/src/customers/wallets/makeWallet.ts';
import {
  findAccounts,
  prepareServiceWallets,
  type WalletChoice,
} from '../../server/src/customers/wallets/serviceWallets.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { openAsset, setHomeAsset } from '../../server/src/ledger/accounts.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { endBackoffs } from '../support/chain/endBackoffs.ts';
import { PLACE } from '../support/chain/serveTestChain.ts';
import { asAdmin, createTestDatabase, urlAs } from '../support/database.ts';
import { howMany } from '../support/run/thorough.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let double: RunningCircleDouble;
/** With the rights of a signer process only. */
let signersDb: Db;

const NETWORKS: { blockchain: string; chainId: number }[] = [{ blockchain: HOME, chainId: PLACE.chainId }];
const connect = () => {
  const { url, apiKey, entitySecret } = double;
  return openCircle({ url, apiKey, entitySecret: Buffer.from(entitySecret, 'hex'), timeoutMs: 20_000 });
};
/** A process that has just started, with an empty wallet cache. */
const openKeys = (networks = NETWORKS): Keyring =>
  circleWallets({ circle: connect(), networks, isTest: true, walletSetId: () => double.walletSetId });
const signer = (): Signer => world.openSigner({ db: signersDb });

beforeAll(async () => {
  world = await startCustody(
    {},
    {
      openCircle: async ({ url }) => {
        const chain = { blockchain: HOME, chain_id: PLACE.chainId, rpc_url: url, usdc_address: PLACE.usdc };
        double = await startCircleDouble({ chains: [chain], keyBits: 1024 });
        return openKeys();
      },
    },
  );
  signersDb = openDatabase(urlAs(world.databaseUrl, 'signer'));
});
afterEach(() => double.control.reset());
afterAll(async () => {
  await signersDb.close();
  await world.stop();
  await double.stop();
});

async function finish(...paymentIds: string[]): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (let round = 1; Date.now() < deadline; round++) {
    // A request that Circle has not answered is repeated after a while.
    await endBackoffs(world);
    await world.work({ signer: signer() });
    await world.mine();
    const states = await Promise.all(paymentIds.map(async (id) => (await world.get(id)).state));
    if (states.every((state) => ['COMPLETE', 'CANCELLED', 'FAILED'].includes(state))) return;
    // So many rounds wait for Circle's rate limits, and rounds without a pause would only keep a core busy.
    if (round > 10) await sleep(400);
  }
}
const statesOf = async (ids: readonly string[]) => [
  ...new Set(await Promise.all(ids.map(async (id) => (await world.get(id)).state))),
];

describe('with wallets at Circle', () => {
  it('a person logs in, receives a deposit and sends to an address', async () => {
    await setHomeAsset(world.db, await openAsset(world.db, HOME, 'USDC'));
    const identity: Identity = { issuer: 'test', subject: 'ida', email: null, emailVerified: false };
    const app = {
      db: world.db,
      idTokens: { verify: async () => ({ identity, expiresAt: new Date(Date.now() + 60_000) }) },
      sessions: { accessTokenSeconds: 900, refreshTokenSeconds: 3600, sessionSeconds: 90_000 },
      spendsIdTokens: false,
    };
    const { user } = await login({ ...app, signer: signer() }, { idToken: 'x', userAgent: null });
    // The login may not have waited long enough for the address.
    const made = await signer().makeWallet(user.userId);
    if (made.outcome !== 'accepted') throw new Error('no wallet was made');
    const atCircle = double.control.wallets().filter(({ address }) => address === made.address.toLowerCase());
    expect(atCircle).toMatchObject([{ blockchain: 'EVM-TESTNET', accountType: 'EOA' }]);
    await world.turn('/faucet', { address: made.address, usdc: '25' });
    await world.credit();
    const destination = randomAddress();
    const id = await world.send({ amount: '2.5', destination, walletId: made.walletId });
    await finish(id);
    expect(await world.get(id)).toMatchObject({ state: 'COMPLETE' });
    expect(await world.balance(destination)).toBe(2_500_000n);
    expect(await world.balance(made.address as Hex)).toBe(22_500_000n);
    expect(await world.faults()).toEqual([]);
  });

  it('coins follow the ledger from wallet to wallet', async () => {
    const { sara, tom } = await world.fund({ sara: '10', tom: '0' });
    await world.payUser(sara, 'tom', '4');
    await world.credit();
    await settleWallets(world, world.network, world.usdc);
    await world.settleDown();
    expect(await world.balance(tom.address)).toBe(4_000_000n);
    const { wallets } = (await reconcile(world, world.network, world.usdc))!;
    for (const wallet of wallets) expect(wallet.coins).toBe(wallet.ledger);
    expect(await world.faults()).toEqual([]);
  });

  it('a signed send is cancelled with a signature from Circle', async () => {
    const { cora } = await world.fund({ cora: '10' });
    const destination = randomAddress();
    const id = await world.send({ amount: '3', destination, walletId: cora.walletId });
    await world.work({ signer: signer() });
    expect(await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }))).toBe('asked');
    await finish(id);
    expect((await world.get(id)).state).toBe('CANCELLED');
    expect(await world.balance(destination)).toBe(0n);
    expect(await world.faults()).toEqual([]);
  });

  it.each(['v_0_or_1', 'high_s'] as const)(
    'a signature that the token would refuse (%s) is corrected',
    async (form) => {
      const name = `mended_${form}`;
      const holders = await world.fund({ [name]: '5' });
      double.control.turn({ signatures: form });
      const id = await world.send({ amount: '1', walletId: holders[name]!.walletId });
      await finish(id);
      expect((await world.get(id)).state).toBe('COMPLETE');
    },
  );

  it.each([
    ['by another key', { signatures: 'other_signer' }],
    ['that never arrives', { answers: { kind: 'cut_after', only: '/sign/', count: 1 } }],
    ['that Circle is too busy for', { answers: { kind: 'busy', only: '/sign/', count: 1 } }],
    ['that fails at Circle', { answers: { kind: 'error_after', only: '/sign/', count: 1 } }],
  ] as const)('a signature %s is never committed, and requested again', async (_, fault) => {
    const name = `again_${randomUUID().slice(0, 6)}`;
    const holders = await world.fund({ [name]: '5' });
    double.control.turn(fault);
    const destination = randomAddress();
    const id = await world.send({ amount: '1', destination, walletId: holders[name]!.walletId });
    await world.work({ signer: signer() });
    const signed = await asAdmin(world.databaseUrl, 'SELECT FROM signatures WHERE move_id = $1', [id]);
    expect(signed).toEqual([]);
    const [row] = await world.db.query<{ waits_for: string }>(
      'SELECT waits_for FROM authorizations WHERE move_id = $1',
      [id],
    );
    expect(row).toEqual({ waits_for: 'the keys do not answer' });
    double.control.reset();
    await finish(id);
    expect((await world.get(id)).state).toBe('COMPLETE');
    expect(await world.listTransfers(destination)).toHaveLength(1);
  });

  it('many parallel sends all end under Circle’s rate limits, none lost, none duplicated', async () => {
    const people = await world.fund({ hana: '500', ivan: '500', jana: '500', karl: '500' });
    const payers = Object.values(people);
    const sends = await Promise.all(
      Array.from({ length: howMany(16, 100) }, async (_, i) => {
        const destination = randomAddress();
        return { destination, id: await world.send({ amount: '1', destination, walletId: payers[i % 4]!.walletId }) };
      }),
    );
    const ids = sends.map(({ id }) => id);
    await finish(...ids);
    expect(await statesOf(ids)).toEqual(['COMPLETE']);
    for (const { destination } of sends)
      expect((await world.listTransfers(destination)).map(({ amount }) => amount)).toEqual([1_000_000n]);
    expect(await world.faults()).toEqual([]);
  });
});

describe('a wallet at Circle', () => {
  it('is created once for all concurrent requests, in any process', async () => {
    const before = double.control.wallets().length;
    const owner = { kind: 'user', issuer: 'test', subject: 'twin' } as const;
    const made = await Promise.all(Array.from({ length: 6 }, () => openKeys().create(owner)));
    expect(new Set(made.map(({ address }) => address)).size).toBe(1);
    expect(double.control.wallets()).toHaveLength(before + 1);
    expect(await openKeys().create({ ...owner, issuer: 'other' })).not.toMatchObject({ address: made[0]!.address });
  });

  it('is created once, also when the answer is lost', async () => {
    const before = double.control.wallets().length;
    double.control.turn({ answers: { kind: 'cut_after', only: 'POST /v1/w3s/developer/wallets', count: 2 } });
    const owner = { kind: 'user', issuer: 'test', subject: 'unheard' } as const;
    const { address } = await openKeys().create(owner);
    expect((await openKeys().create(owner)).address).toBe(address);
    expect(double.control.wallets()).toHaveLength(before + 1);
  });

  it('is found again by a database that has lost it', async () => {
    const forgetful = await createTestDatabase();
    const db = openDatabase(forgetful.url);
    try {
      const before = double.control.wallets();
      const [ida] = await world.db.query<{ user_id: string; address: string }>(
        `SELECT u.user_id, w.address FROM users u JOIN owner_wallets w USING (user_id) WHERE u.subject = 'ida'`,
      );
      const userId = randomUUID();
      await db.query(`INSERT INTO users (user_id, issuer, subject) VALUES ($1, 'test', 'ida')`, [userId]);
      expect(await makeWallet(db, openKeys(), userId)).toMatchObject({ address: ida!.address });
      expect(double.control.wallets()).toEqual(before);
    } finally {
      await db.close();
      await forgetful.drop();
    }
  });

  it('has the same address on a blockchain that is configured later', async () => {
    const { address, reference } = await openKeys().create({ kind: 'user', issuer: 'test', subject: 'early' });
    const base = { blockchain: 'BASE-SEPOLIA', chainId: 84532 };
    const later = openKeys([...NETWORKS, base]);
    const domain = { name: 'USDC', version: '2', chainId: base.chainId, verifyingContract: PLACE.usdc };
    const nonce: Hex = `0x${'5'.repeat(64)}`;
    expect((await later.signCancellation(reference, domain, address, nonce)).outcome).toBe('accepted');
    const ours = double.control.wallets().filter((one) => one.address === address.toLowerCase());
    expect(ours.map(({ blockchain }) => blockchain).sort()).toEqual(['BASE-SEPOLIA', 'EVM-TESTNET']);
  });

  it('signs neither for another wallet nor chain transactions', async () => {
    const keys = openKeys();
    const { reference } = await keys.create({ kind: 'user', issuer: 'test', subject: 'early' });
    const domain = { name: 'USDC', version: '2', chainId: PLACE.chainId, verifyingContract: PLACE.usdc };
    const nonce: Hex = `0x${'6'.repeat(64)}`;
    await expect(keys.signCancellation(reference, domain, randomAddress(), nonce)).rejects.toThrow(
      /not from the wallet/,
    );
    expect(await keys.list([randomUUID(), 'no reference', reference])).toHaveLength(1);
    expect((await keys.signRelayTx(reference, {} as never)).outcome).toBe('rejected');
    await expect(keys.create({ kind: 'relayer', number: 0 })).rejects.toThrow(/our own keys/);
  });
});

const chooseCircle = (keys: Keyring, walletSet: string): WalletChoice => ({
  provider: 'circle',
  networks: {},
  from: undefined,
  accounts: { circle: walletSet },
  makers: [{ ...keys, provider: 'circle' }],
});

describe('a database and its wallets at Circle', () => {
  const seed = localWallets(Buffer.alloc(64, 9));

  it('stay together: treasury, set and provider do not change, and only the first start needs Circle', async () => {
    const fresh = await createTestDatabase();
    const db = openDatabase(fresh.url);
    const signing = openDatabase(urlAs(fresh.url, 'signer'));
    try {
      // Circle does not report which of its sets is ours, so an operator has to name it.
      const asked = getWalletSet(connect(), seed.fingerprint);
      await expect(asked).rejects.toThrow(/name it in FLORIN_CIRCLE_WALLET_SET/);
      const walletSet = double.walletSetId;
      const keys = openKeys();
      const choice = chooseCircle(keys, walletSet);
      // An operator has tried local keys first; no one had a wallet yet.
      const own = await prepareServiceWallets(signing, seed);
      const treasury = await prepareServiceWallets(signing, seed, choice);
      expect(treasury.address).not.toBe(own.address);
      const away = { ...keys, create: () => Promise.reject(new Error('Circle is down')) };
      expect(await prepareServiceWallets(signing, seed, chooseCircle(away, walletSet))).toEqual(treasury);
      expect(await findAccounts(signing, seed.fingerprint, choice)).toEqual({ circle: walletSet });
      await openAsset(db, HOME, 'USDC');
      expect(await db.query('SELECT wallet_provider FROM networks')).toEqual([{ wallet_provider: 'circle' }]);
      const userId = randomUUID();
      await db.query(`INSERT INTO users (user_id, issuer, subject) VALUES ($1, 'test', 'first')`, [userId]);
      await makeWallet(signing, keys, userId);
      await expect(prepareServiceWallets(signing, seed)).rejects.toThrow(/FLORIN_WALLETS does not name/);
      const otherSet = { ...choice, accounts: { circle: randomUUID() } };
      await expect(prepareServiceWallets(signing, seed, otherSet)).rejects.toThrow(/not in the account/);
      const otherSeed = localWallets(Buffer.alloc(64, 8));
      await expect(prepareServiceWallets(signing, otherSeed, choice)).rejects.toThrow(/another wallet seed/);
    } finally {
      await Promise.all([db.close(), signing.close()]);
      await fresh.drop();
    }
  });
});
