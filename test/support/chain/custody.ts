/** Wallets with coins on a chain of this process, blocks on demand, and the worker's turns one by one. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { LocalChain } from '../../../sandbox/src/chain/openLocalChain.ts';
import { viemChain } from '../../../server/src/adapters/chain/viemChain.ts';
import { localWallets } from '../../../server/src/adapters/wallets/local/localWallets.ts';
import { parseUsdc } from '../../../server/src/core/money.ts';
import type { Payment } from '../../../server/src/core/payment.ts';
import type { Chain, Hex, Token, TokenLog, Wallets } from '../../../server/src/core/ports.ts';
import { registerRelayers, watchGas } from '../../../server/src/custody/eip3009/relayers.ts';
import {
  type CustodySettings,
  type Network,
  type NetworkAsset,
  openNetwork,
} from '../../../server/src/custody/network.ts';
import { type Db, openDatabase } from '../../../server/src/db/database.ts';
import { claimJobs, endJobs, postponeJobs } from '../../../server/src/jobs/jobs.ts';
import { checkBooks } from '../../../server/src/ledger/checkBooks.ts';
import { findPayment } from '../../../server/src/payments/read/findPayment.ts';
import { carryPayments } from '../../../server/src/payments/sends/carryPayments.ts';
import { failPayments } from '../../../server/src/payments/sends/failPayments.ts';
import {
  type SendRules,
  type SendToAddress,
  sendToAddress,
  submitJob,
} from '../../../server/src/payments/sends/sendToAddress.ts';
import { submitPayments } from '../../../server/src/payments/sends/submitPayments.ts';
import { trackPayments } from '../../../server/src/payments/sends/trackPayments.ts';
import { openUserPayments } from '../../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../../server/src/payments/users/sendToUser.ts';
import { insertUser } from '../database/insertUser.ts';
import { createTestDatabase } from '../database.ts';
import { HOME } from '../values.ts';
import { serveTestChain } from './serveTestChain.ts';

const FINALITY_BLOCKS = 3;

type TransferLog = Extract<TokenLog, { kind: 'transfer' }>;

export interface Holder {
  readonly userId: string | null;
  readonly username: string;
  readonly walletId: string;
  readonly address: Hex;
}

/** What a worker works with; tests put faults between. */
interface WorkerPorts {
  readonly db: Db;
  readonly chain: Chain;
  readonly wallets: Wallets;
}

export interface CustodyWorld {
  db: Db;
  databaseUrl: string;
  readonly local: LocalChain;
  readonly url: string;
  readonly chain: Chain;
  readonly wallets: Wallets;
  readonly seed: Buffer;
  network: Network;
  readonly usdc: NetworkAsset;
  /** What sends wait for from now on. */
  sendRules: SendRules;
  person(username: string, amount?: string): Promise<Holder>;
  treasury(amount?: string): Promise<Holder>;
  /** People and, by the name `treasury`, our own wallet, with so much USDC each, credited. */
  fund<Name extends string>(amounts: Readonly<Record<Name, string>>): Promise<Record<Name, Holder>>;
  /** A switch of the local chain. */
  turn(path: string, body: unknown): Promise<unknown>;
  mine(blocks?: number, advanceSeconds?: number): Promise<void>;
  /** Mines until what was minted is final, and lets the worker credit it. */
  credit(): Promise<void>;
  /** A payment between people; answers its id. */
  payUser(from: Holder, receiver: string, amount: string): Promise<string>;
  send(request: Partial<Omit<SendToAddress, 'amount'>> & { amount: string | bigint }): Promise<string>;
  get(paymentId: string): Promise<Payment>;
  /** One turn of everything a worker does; throws what a job would retry. */
  work(ports?: Partial<WorkerPorts>): Promise<void>;
  /** Works and mines until no payment is under way. */
  settleDown(options?: { turns?: number }): Promise<void>;
  balance(address: Hex): Promise<bigint>;
  /** Every transfer of USDC that the chain has to or from this address. */
  listTransfers(address: Hex): Promise<TransferLog[]>;
  /** Everything that must always be true; an empty list is good. */
  faults(): Promise<string[]>;
  stop(): Promise<void>;
}

export const randomAddress = (): Hex => `0x${randomBytes(20).toString('hex')}`;

export async function startCustody(
  settings: Partial<CustodySettings> = {},
  moreTokens: readonly Token[] = [],
): Promise<CustodyWorld> {
  const served = await serveTestChain(undefined, moreTokens);
  const { local, turn } = served;
  const chain = viemChain(served.config);
  const database = await createTestDatabase();
  const db = openDatabase(database.url);
  const seed = randomBytes(64);
  const wallets = localWallets(seed);
  const all = { startBlock: 0n, rebroadcastAfterMs: 0, bumpAfterMs: 60_000, ...settings };
  const network = await openNetwork(db, chain, all);

  async function insertWallet(kind: string, userId: string | null, subject: string, amount: string): Promise<Holder> {
    const wallet = await wallets.create(userId ? { kind: 'user', issuer: 'test', subject } : { kind: 'treasury' });
    const walletId = randomUUID();
    await world.db.query(
      `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address) VALUES ($1, $2, $3, 'local', $4, $5)`,
      [walletId, kind, userId, wallet.reference, wallet.address],
    );
    if (amount !== '0') await turn('/faucet', { address: wallet.address, usdc: amount });
    return { userId, username: subject, walletId, address: wallet.address };
  }

  const listHoldings = (assetId: number) =>
    world.db.query<{ wallet_id: string; address: Hex; coins: bigint; reserved: bigint; owed: bigint }>(
      `SELECT w.wallet_id, w.address, h.coins, h.reserved,
              (SELECT coalesce(sum(reserved), 0)::bigint FROM authorizations a
                WHERE a.wallet_id = w.wallet_id AND a.asset_id = h.asset_id) AS owed
         FROM holdings h JOIN wallets w USING (wallet_id) WHERE h.asset_id = $1`,
      [assetId],
    );

  const world: CustodyWorld = {
    db,
    databaseUrl: database.url,
    local,
    url: served.url,
    chain,
    wallets,
    seed,
    network,
    usdc: network.assets[0]!,
    sendRules: { approvalThreshold: undefined, newRecipientDelaySeconds: 0 },
    turn,
    async person(username, amount = '0') {
      return insertWallet('user', await insertUser(world.db, username), username, amount);
    },
    treasury: (amount = '0') => insertWallet('treasury', null, 'treasury', amount),
    async fund<Name extends string>(amounts: Readonly<Record<Name, string>>) {
      const holders: [string, Holder][] = [];
      for (const [name, amount] of Object.entries<string>(amounts)) {
        const holder = name === 'treasury' ? await world.treasury(amount) : await world.person(name, amount);
        holders.push([name, holder]);
      }
      await world.credit();
      return Object.fromEntries(holders) as Record<Name, Holder>;
    },
    async mine(blocks = 1, advanceSeconds = 1) {
      await local.mine({ count: blocks, advanceSeconds });
    },
    async credit() {
      await world.mine(FINALITY_BLOCKS + 1);
      await world.work();
    },
    async payUser(from, receiver, amount) {
      const userPayments = openUserPayments({ databaseUrl: world.databaseUrl, db: world.db, homeBlockchain: HOME });
      const request = { senderId: from.userId!, receiver, amount: parseUsdc(amount) };
      const { result } = await sendToUser({ userPayments }, request);
      await userPayments.close();
      if ('refusal' in result) throw result.refusal;
      return result.payment.paymentId;
    },
    async send({ amount, ...request }) {
      const { result } = await sendToAddress(world, {
        destination: randomAddress(),
        blockchain: HOME,
        ...request,
        amount: typeof amount === 'string' ? parseUsdc(amount) : amount,
      } as SendToAddress);
      if ('refusal' in result) throw result.refusal;
      return result.answer;
    },
    async get(paymentId) {
      return (await findPayment(world.db, paymentId))!;
    },
    async work(ports = {}) {
      const app = { db: ports.db ?? world.db, wallets: ports.wallets ?? wallets };
      const net = { ...world.network, chain: ports.chain ?? chain };
      const jobs = await claimJobs(app.db, submitJob(HOME), 100, 0);
      const outcomes = await submitPayments(
        app,
        net,
        jobs.map((job) => job.key),
      );
      await endJobs(
        app.db,
        jobs.filter((_, i) => outcomes[i] === 'done'),
      );
      await postponeJobs(
        app.db,
        jobs.filter((_, i) => outcomes[i] !== 'done'),
        0,
      );
      const failed = outcomes.find((outcome) => outcome instanceof Error);
      if (failed) throw failed;
      await carryPayments(app, net);
      while (await trackPayments(app, net));
      await failPayments(app, net);
    },
    async settleDown({ turns = 30 } = {}) {
      for (let i = 0; i < turns; i++) {
        await world.work();
        await world.mine();
        const [{ open } = { open: 0 }] = await world.db.query<{ open: number }>(
          `SELECT (SELECT count(*) FROM payments WHERE NOT payment_is_final(state))::int
                + (SELECT count(*) FROM authorizations WHERE state = 'open')::int
                + (SELECT count(*) FROM jobs)::int AS open`,
        );
        if (open === 0) break;
      }
      await world.mine(FINALITY_BLOCKS);
      await world.work();
    },
    balance: async (address) => (await chain.readBalances(world.usdc.contract, [address], await chain.getHead()))[0]!,
    async listTransfers(address) {
      const logs = await chain.listTokenLogs({ from: 0n, to: await chain.getHead(), wallets: [address] });
      return logs.filter((log) => log.kind === 'transfer');
    },
    async faults() {
      const faults = [...(await checkBooks(world.db)).faults];
      const [cursor] = await world.db.query<{ block_number: bigint }>('SELECT block_number FROM chain_cursors');
      const block = cursor && (await chain.findBlock(cursor.block_number));
      for (const { assetId, contract } of world.network.assets) {
        const rows = await listHoldings(assetId);
        const addresses = rows.map((row) => row.address);
        const onChain = block ? await chain.readBalances(contract, addresses, block) : [];
        for (const [i, row] of rows.entries()) {
          if (row.owed !== row.reserved) faults.push(`${row.wallet_id} reserves ${row.reserved}, promised ${row.owed}`);
          if (row.coins !== onChain[i]) faults.push(`${row.wallet_id} counts ${row.coins}, the chain ${onChain[i]}`);
        }
      }
      const [sums] = await world.db.query<{ ledger: bigint; coins: bigint }>(
        `SELECT coalesce(-(SELECT sum(available) FROM accounts WHERE kind = 'chain'), 0)::bigint AS ledger,
                (SELECT coalesce(sum(coins), 0)::bigint FROM holdings) AS coins`,
      );
      if (sums!.ledger !== sums!.coins) faults.push(`the ledger owes ${sums!.ledger}, custody holds ${sums!.coins}`);
      return faults;
    },
    async stop() {
      await served.close();
      await world.db.close();
      await database.drop();
    },
  };
  await registerRelayers({ db, wallets }, network);
  const relayer = await wallets.create({ kind: 'relayer', number: 0 });
  await turn('/faucet', { address: relayer.address, eth: '100' });
  await local.mine({ count: 1 });
  await watchGas({ db, wallets }, network);
  return world;
}
