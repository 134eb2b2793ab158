/** People with wallets on Solana or Aptos at the Circle double, and a worker's passes one by one. */

import { startCircleDouble } from '../../../sandbox/src/circle/startCircleDouble.ts';
import { unreadChain } from '../../../server/src/adapters/chain/unreadChain.ts';
import { circleAccounts, listTogether } from '../../../server/src/adapters/wallets/circle/circleAccounts.ts';
import { ELSEWHERE } from '../../../server/src/adapters/wallets/circle/circleBlockchains.ts';
import { circleTransfers } from '../../../server/src/adapters/wallets/circle/circleTransfers.ts';
import { openCircle } from '../../../server/src/adapters/wallets/circle/openCircle.ts';
import { localWallets } from '../../../server/src/adapters/wallets/local/localWallets.ts';
import { familyOf } from '../../../server/src/core/families.ts';
import { formatUsdc, parseUsdc } from '../../../server/src/core/money.ts';
import type { Hex } from '../../../server/src/core/ports.ts';
import { openNetwork } from '../../../server/src/custody/network.ts';
import { providerRail } from '../../../server/src/custody/provider/providerRail.ts';
import type { CustodyApp } from '../../../server/src/custody/rail.ts';
import { openSigner } from '../../../server/src/custody/signing/openSigner.ts';
import { compareCoins } from '../../../server/src/custody/unwatchedChains/compareCoins.ts';
import type { Pace } from '../../../server/src/custody/unwatchedChains/readArrivals.ts';
import { makeWallet } from '../../../server/src/customers/wallets/makeWallet.ts';
import { openDatabase } from '../../../server/src/db/database.ts';
import { claimJobs, endJobs, postponeJobs } from '../../../server/src/jobs/jobs.ts';
import { checkBooks } from '../../../server/src/ledger/checkBooks.ts';
import { readPayment } from '../../../server/src/payments/read/readPayment.ts';
import { carryPayments } from '../../../server/src/payments/sends/carryPayments.ts';
import { failPayments } from '../../../server/src/payments/sends/failPayments.ts';
import { openSends } from '../../../server/src/payments/sends/openSends.ts';
import { type SendRules, type SendToAddress, submitJob } from '../../../server/src/payments/sends/sendCommand.ts';
import { sendToAddress } from '../../../server/src/payments/sends/sendToAddress.ts';
import { startPayments } from '../../../server/src/payments/sends/startPayments.ts';
import { submitPayments } from '../../../server/src/payments/sends/submitPayments.ts';
import { trackUnwatchedChain } from '../../../server/src/payments/tracking/trackUnwatchedChain.ts';
import { insertUser } from '../database/insertUser.ts';
import { asAdmin, createTestDatabase } from '../database.ts';
import { callCircle } from './circleWorld.ts';

const FINAL = ['COMPLETE', 'FAILED', 'CANCELLED'];
const PATIENCE_MS = 120_000;
/** The number of steps from INITIATED to COMPLETE. */
const STEPS = 6;
/** Fewer than one poll takes, so that none is left out. */
const WALLETS_PER_POLL = 4;

/** Circle decides how many arrivals fit on a page; here the start of the list limits them too. */
type PageSize = (since: Date) => number;
export const wholePages: PageSize = () => Number.POSITIVE_INFINITY;

export type UnwatchedWorld = Awaited<ReturnType<typeof startUnwatchedWorld>>;

const AT_ONCE: SendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };

export async function startUnwatchedWorld(blockchain: string, sendRules = AT_ONCE) {
  const double = await startCircleDouble({ chains: [], keyBits: 1024, stepMs: 'never', limits: false });
  const caller = callCircle(double);
  const database = await createTestDatabase();
  // Worker and signer have only the rights of their processes.
  const connect = () => ({
    db: openDatabase(database.url),
    workersDb: openDatabase(database.urlOf('worker')),
    signersDb: openDatabase(database.urlOf('signer')),
  });
  let { db, workersDb, signersDb } = connect();
  const shared = {
    circle: openCircle({ ...double, entitySecret: Buffer.from(double.entitySecret, 'hex'), timeoutMs: 20_000 }),
    isTest: true,
    walletSetId: () => double.walletSetId,
  };
  const family = familyOf(blockchain);
  if (family === 'evm') throw new TypeError(`${blockchain} has nodes`);
  const evm = circleAccounts({ ...shared, provider: 'circle_send', accountType: 'SCA' });
  const accounts = circleAccounts({ ...shared, provider: 'circle_send', accountType: 'EOA', family });
  const sender = circleTransfers({
    ...shared,
    accounts: evm,
    elsewhere: { [family]: accounts },
    accountType: 'SCA',
    feeLevel: 'MEDIUM',
  });
  const chain = unreadChain({
    blockchain,
    token: { symbol: 'USDC', decimals: 6, contract: ELSEWHERE[blockchain]!.usdc as Hex },
  });
  const network = await openNetwork(workersDb, chain, { askProviderMs: 0 });
  await asAdmin(database.url, `UPDATE networks SET wallet_provider = 'circle_send'`);
  const [asset] = network.assets;
  const seed = localWallets(Buffer.alloc(64, 7));
  const life = { keyMs: 3_600_000 };
  const startSigner = () =>
    openSigner({
      db: signersDb,
      keyrings: { local: seed },
      providers: [{ ...accounts, provider: 'circle_send' }],
      others: { circle_send: listTogether([evm, accounts]) },
      senders: {
        circle_send: {
          ...sender,
          perSecond: { posts: 1_000 },
          get keyLifeMs() {
            return life.keyMs;
          },
        },
      },
      networks: [{ ...chain, maxFeePerGasWei: 0n, provider: 'circle_send' }],
      limits: { payment: undefined, day: undefined },
    });
  let signer = startSigner();
  let pageSize: PageSize = wholePages;
  const startWorker = (): CustodyApp => ({
    db: workersDb,
    signer: {
      ...signer,
      async listArrivals(...asked) {
        const answer = await signer.listArrivals(...asked);
        if (answer.outcome !== 'accepted') return answer;
        return { ...answer, arrivals: answer.arrivals.slice(0, pageSize(new Date(asked[1]))) };
      },
    },
    rails: { circle_send: providerRail },
  });
  let app = startWorker();
  let sends = openSends({ db, sendRules });

  const circleId = (address: string) => double.control.wallets().find((one) => one.address === address)!.id;
  const addressOf = async (walletId: string) =>
    (await db.query<{ address: string }>('SELECT address FROM wallets WHERE wallet_id = $1', [walletId]))[0]!.address;

  async function step(): Promise<void> {
    for (let i = 0; i < STEPS; i++) await double.control.step();
  }

  async function dripAt(address: string, what: 'usdc' | 'native' = 'usdc'): Promise<void> {
    const answer = await caller.ask('POST', '/v1/faucet/drips', { address, blockchain, [what]: true });
    if (answer.status !== 204) throw new Error(`the faucet answered ${answer.status}`);
  }

  const track = (pace?: Pace): Promise<void> => trackUnwatchedChain(app, network, pace);

  async function work(pace?: Pace): Promise<void> {
    const jobs = await claimJobs(workersDb, submitJob(blockchain), 100, 0);
    const keys = jobs.map((job) => job.key);
    const outcomes = await submitPayments(app, network, keys);
    const failed = outcomes.find((outcome) => outcome instanceof Error);
    if (failed) throw failed;
    await endJobs(
      workersDb,
      jobs.filter((_, i) => outcomes[i] === 'done'),
    );
    await postponeJobs(
      workersDb,
      jobs.filter((_, i) => outcomes[i] !== 'done'),
      0,
    );
    await startPayments(app, network);
    await carryPayments(app, network);
    await track(pace);
    await failPayments(app, network);
  }

  const disconnect = async (): Promise<void> => {
    await Promise.all([db.close(), workersDb.close(), signersDb.close()]);
  };

  const sumOf = async (sql: string, ...values: unknown[]): Promise<string> =>
    formatUsdc((await db.query<{ sum: bigint }>(`SELECT coalesce((${sql}), 0)::bigint AS sum`, values))[0]!.sum);

  return {
    double,
    /** The current database: a restore replaces it. */
    get db() {
      return db;
    },
    /** The time for which the signer assumes that Circle remembers keys. */
    life,
    databaseUrl: database.url,
    assetId: asset!.assetId,
    dripAt,
    step,
    track,
    work,
    /** Sets the page size of Circle's lists from now on. */
    cutPages(size: PageSize): void {
      pageSize = size;
    },
    /** `drips`: this many times 10 USDC, credited when this resolves. */
    async person(name: string, drips = 0) {
      const userId = await insertUser(db, name);
      const { walletId, address } = (await makeWallet(signersDb, accounts, userId))!;
      for (let i = 0; i < drips; i++) await dripAt(address);
      const credited = () => sumOf('SELECT sum(available) FROM accounts WHERE user_id = $1', userId);
      for (
        const deadline = Date.now() + PATIENCE_MS;
        (await credited()) !== formatUsdc(BigInt(drips) * 10_000_000n);
      ) {
        if (Date.now() > deadline) throw new Error(`${name} has ${await credited()} USDC after ${drips} drips`);
        await work();
      }
      return { userId, walletId, address };
    },
    /** The wallet that a person gets at Circle, before this database knows them. */
    makeAtCircle: async (subject: string) => (await accounts.create({ kind: 'user', issuer: 'test', subject })).address,
    drip: async (walletId: string, what?: 'usdc' | 'native') => dripAt(await addressOf(walletId), what),
    async send(walletId: string, destination: string, amount: string, key?: SendToAddress['key']): Promise<string> {
      const request = { destination, blockchain, currency: 'USDC', amount: parseUsdc(amount), walletId, key };
      const { result } = await sendToAddress({ db, sends }, request);
      if ('refusal' in result) throw result.refusal;
      return result.answer;
    },
    /** Works until it has ended; Circle continues everything that it has. */
    async finish(paymentId: string): Promise<void> {
      for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
        await work();
        await step();
        if (FINAL.includes((await readPayment(db, paymentId))!.state)) return;
      }
      throw new Error('the payment has not ended');
    },
    /** A transfer by Circle's console; or by us, and a restored database has lost it (`refId`). */
    async moveByHand(walletId: string, destinationAddress: string, amount: string, refId?: string): Promise<void> {
      const tokenAddress = asset!.contract;
      const body = {
        walletId: circleId(await addressOf(walletId)),
        tokenAddress,
        blockchain,
        destinationAddress,
        refId,
      };
      const fee = { feeLevel: 'MEDIUM', amounts: [amount] };
      const answer = await caller.post('/v1/w3s/developer/transactions/transfer', { ...body, ...fee });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      await step();
    },
    async compareAll(): Promise<void> {
      const [{ wallets } = { wallets: 0 }] = await db.query<{ wallets: number }>(
        'SELECT count(*)::int AS wallets FROM holdings',
      );
      for (let i = 0; i <= wallets; i += WALLETS_PER_POLL) await compareCoins(app, network);
    },
    pauses: async () => (await db.query<{ reason: string }>('SELECT reason FROM pauses')).map(({ reason }) => reason),
    verdicts: async () =>
      (await db.query<{ verdict: string }>('SELECT verdict FROM arrivals')).map((row) => row.verdict),
    available: (userId: string) => sumOf('SELECT available FROM accounts WHERE user_id = $1', userId),
    coins: (walletId: string) => sumOf('SELECT coins FROM holdings WHERE wallet_id = $1', walletId),
    /** Checks the books, and every wallet's coins against Circle's report. */
    async faults(): Promise<string[]> {
      const faults = [...(await checkBooks(db)).faults];
      const held = await db.query<{ walletId: string; address: string; coins: bigint }>(
        'SELECT wallet_id AS "walletId", address, coins FROM holdings JOIN wallets USING (wallet_id)',
      );
      for (const { walletId, coins } of held) {
        const reported = await signer.readBalance(blockchain, 'USDC', walletId);
        if (reported.outcome !== 'accepted' || BigInt(reported.amount) !== coins)
          faults.push(`${walletId} counts ${coins}, Circle says ${JSON.stringify(reported)}`);
      }
      const owed = await sumOf(`SELECT -sum(available) FROM accounts WHERE kind = 'chain'`);
      const coins = await sumOf('SELECT sum(coins) FROM holdings');
      if (owed !== coins) faults.push(`the ledger owes ${owed}, custody holds ${coins}`);
      return faults;
    },
    disconnect,
    /** Restarts every process. */
    reconnect(): void {
      ({ db, workersDb, signersDb } = connect());
      signer = startSigner();
      app = startWorker();
      sends = openSends({ db, sendRules });
    },
    async stop(): Promise<void> {
      await disconnect();
      await double.stop();
      await database.drop();
    },
  };
}
