/** Wallets with coins on a chain in this process, blocks on demand, and the worker's passes one by one. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { LocalChain } from '../../../sandbox/src/chain/openLocalChain.ts';
import { viemChain } from '../../../server/src/adapters/chain/viemChain.ts';
import { localWallets } from '../../../server/src/adapters/wallets/local/localWallets.ts';
import { parseUsdc } from '../../../server/src/core/money.ts';
import type { Payment } from '../../../server/src/core/payment.ts';
import type { Chain, Hex, Keyring, Token, TokenLog } from '../../../server/src/core/ports.ts';
import type { ProviderSender } from '../../../server/src/core/providers.ts';
import type { Signer } from '../../../server/src/core/signer.ts';
import { eip3009Rail } from '../../../server/src/custody/eip3009/eip3009Rail.ts';
import { registerRelayers, watchGas } from '../../../server/src/custody/eip3009/relayers.ts';
import {
  type CustodySettings,
  type Network,
  type NetworkAsset,
  openNetwork,
} from '../../../server/src/custody/network.ts';
import { providerRail } from '../../../server/src/custody/provider/providerRail.ts';
import type { Rails } from '../../../server/src/custody/rail.ts';
import { openSigner } from '../../../server/src/custody/signing/openSigner.ts';
import type { SigningLimits } from '../../../server/src/custody/signing/signingApp.ts';
import { type Db, openDatabase } from '../../../server/src/db/database.ts';
import { claimJobs, endJobs, postponeJobs } from '../../../server/src/jobs/jobs.ts';
import { checkBooks } from '../../../server/src/ledger/checkBooks.ts';
import { findPayment } from '../../../server/src/payments/read/findPayment.ts';
import { carryPayments } from '../../../server/src/payments/sends/carryPayments.ts';
import { failPayments } from '../../../server/src/payments/sends/failPayments.ts';
import { openSends, type Sends } from '../../../server/src/payments/sends/openSends.ts';
import { type SendRules, type SendToAddress, submitJob } from '../../../server/src/payments/sends/sendCommand.ts';
import { sendToAddress } from '../../../server/src/payments/sends/sendToAddress.ts';
import { startPayments } from '../../../server/src/payments/sends/startPayments.ts';
import { submitPayments } from '../../../server/src/payments/sends/submitPayments.ts';
import { trackPayments } from '../../../server/src/payments/tracking/trackPayments.ts';
import { openUserPayments } from '../../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../../server/src/payments/users/sendToUser.ts';
import { insertUser } from '../database/insertUser.ts';
import { addCurrency, asAdmin, createTestDatabase, PATIENT, runAsAdmin } from '../database.ts';
import { listContradictoryRows, refuseOverfunded } from '../properties/listContradictions.ts';
import { HOME } from '../values.ts';
import { compareEnds } from './compareEnds.ts';
import { sendDirectly, startProvider, TEST_PROVIDER, type TestProvider, type TestSender } from './provider.ts';
import { type ServedTestChain, serveTestChain } from './serveTestChain.ts';

const FINALITY_BLOCKS = 3;

type TransferLog = Extract<TokenLog, { kind: 'transfer' }>;

export interface Holder {
  readonly userId: string | null;
  readonly username: string;
  /** Where this world keeps coins. */
  readonly walletId: string;
  readonly address: Hex;
  /** The wallet that holds their coins. */
  readonly coinsAddress: Hex;
}

/** The worker's dependencies; tests wrap them to inject faults. */
interface WorkerPorts {
  readonly db: Db;
  readonly chain: Chain;
  readonly signer: Signer;
}

type WalletProvider = 'local' | 'circle' | 'circle_send' | typeof TEST_PROVIDER;

/** Wallets from which Circle sends. */
export interface SendingCircle {
  readonly accounts: Pick<Keyring, 'create' | 'list'>;
  readonly sender: ProviderSender;
}

/** Hooks with which a double of a provider follows the world. */
interface Hooks {
  /** Called before a block is mined, so that the double can continue its work. */
  readonly onMine?: () => Promise<void>;
  readonly onStop?: () => Promise<void>;
}

export interface CustodyWorld {
  db: Db;
  databaseUrl: string;
  readonly local: LocalChain;
  readonly url: string;
  readonly chain: Chain;
  /** The keys of local wallets; only the signer has them. */
  readonly wallets: Keyring;
  /** Works on the current database. */
  readonly signer: Signer;
  openSigner(ports?: {
    readonly db?: Db;
    readonly keys?: Keyring;
    readonly wrapSender?: (sender: ProviderSender) => ProviderSender;
    /** Replaces the provider of tests. */
    readonly testSender?: TestSender;
  }): Signer;
  /** The signer's limits from now on. */
  signingLimits: SigningLimits;
  readonly rails: Rails;
  /** The provider that sends from its own wallets. It takes part when people's coins are there. */
  readonly provider: TestProvider;
  readonly seed: Buffer;
  network: Network;
  readonly usdc: NetworkAsset;
  /** The rules for sends from now on: approvals and delays. */
  sendRules: SendRules;
  /** Accepts sends by the current rules in the current database. */
  readonly sends: Sends;
  /** `coinsIn`: the provider of the wallet that gets the coins; by default the provider of this world. */
  person(username: string, amount?: string, coinsIn?: WalletProvider): Promise<Holder>;
  treasury(amount?: string): Promise<Holder>;
  /** People, and our own wallet under the name `treasury`, with this much USDC each, credited. */
  fund<Name extends string>(amounts: Readonly<Record<Name, string>>): Promise<Record<Name, Holder>>;
  /** A switch of the local chain. */
  turn(path: string, body: unknown): Promise<unknown>;
  mine(blocks?: number, advanceSeconds?: number): Promise<void>;
  /** Mines until the minted coins are final, and lets the worker credit them. */
  credit(): Promise<void>;
  /** A payment between people; returns its id. */
  payUser(from: Holder, receiver: string, amount: string): Promise<string>;
  send(request: Partial<Omit<SendToAddress, 'amount'>> & { amount: string | bigint }): Promise<string>;
  get(paymentId: string): Promise<Payment>;
  /** One pass of everything a worker does; throws what a job would retry. */
  work(ports?: Partial<WorkerPorts> & { readonly onRefusal?: (reason: string) => void }): Promise<void>;
  /** Works and mines until no payment is in progress. */
  settleDown(options?: { turns?: number }): Promise<void>;
  balance(address: Hex): Promise<bigint>;
  /** Every USDC transfer on the chain to or from this address. */
  listTransfers(address: Hex): Promise<TransferLog[]>;
  /** Checks everything that must always be true; an empty list means no fault. */
  faults(): Promise<string[]>;
  stop(): Promise<void>;
}

export const randomAddress = (): Hex => `0x${randomBytes(20).toString('hex')}`;

export interface WorldOptions extends Hooks {
  /** The provider of the wallets that hold people's coins. */
  readonly walletProvider?: WalletProvider;
  /** There are wallets of both kinds. */
  readonly mixed?: boolean;
  readonly moreTokens?: readonly Token[];
  /** People's wallets have keys at Circle, which signs for us. */
  readonly openCircle?: (chain: ServedTestChain) => Promise<Keyring>;
  /** People's wallets are at Circle, which sends. */
  readonly openSender?: (chain: ServedTestChain) => Promise<SendingCircle>;
}

export async function startCustody(
  settings: Partial<CustodySettings> = {},
  {
    openCircle,
    openSender,
    walletProvider = openCircle ? 'circle' : openSender ? 'circle_send' : 'local',
    mixed = walletProvider === TEST_PROVIDER,
    moreTokens = [],
    onMine,
    onStop,
  }: WorldOptions = {},
): Promise<CustodyWorld> {
  const served = await serveTestChain(undefined, moreTokens);
  const { local, turn } = served;
  const chain = viemChain(served.config);
  const database = await createTestDatabase();
  const db = openDatabase(database.url, PATIENT);
  const seed = randomBytes(64);
  const wallets = localWallets(seed);
  const circle = await openCircle?.(served);
  const sending = await openSender?.(served);
  const all = { startBlock: 0n, rebroadcastAfterMs: 0, bumpAfterMs: 60_000, askProviderMs: 0, ...settings };
  for (const { symbol, decimals } of moreTokens) await addCurrency(database.url, symbol, decimals);
  const network = await openNetwork(db, chain, all);
  if (walletProvider !== 'local')
    await asAdmin(database.url, 'UPDATE networks SET wallet_provider = $1', [walletProvider]);

  const provider = startProvider(local, (address) => turn('/faucet', { address, eth: '10' }));

  async function insertWallet(userId: string | null, subject: string, of: WalletProvider) {
    const owner = userId ? ({ kind: 'user', issuer: 'test', subject } as const) : ({ kind: 'treasury' } as const);
    const {
      provider: name,
      reference,
      address,
    } = await (of === TEST_PROVIDER
      ? provider.createWallet(subject)
      : (of === 'circle' ? circle! : of === 'circle_send' ? sending!.accounts : wallets).create(owner));
    const walletId = randomUUID();
    await world.db.query(
      'INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address) VALUES ($1, $2, $3, $4, $5, $6)',
      [walletId, owner.kind, userId, name, reference, address],
    );
    return { walletId, address };
  }

  /**
   * Has a wallet where this world keeps coins, and another one if their coins are elsewhere, as before a change of
   * providers.
   */
  async function insertHolder(
    userId: string | null,
    subject: string,
    amount: string,
    coinsIn: WalletProvider = walletProvider,
  ): Promise<Holder> {
    const current = await insertWallet(userId, subject, walletProvider);
    const { address: coinsAddress } =
      coinsIn === walletProvider ? current : await insertWallet(userId, subject, coinsIn);
    if (amount !== '0') await turn('/faucet', { address: coinsAddress, usdc: amount });
    return { userId, username: subject, ...current, coinsAddress };
  }

  const listHoldings = (assetId: number) =>
    world.db.query<{ wallet_id: string; address: Hex; coins: bigint; held: bigint; reserved: bigint; owed: bigint }>(
      `SELECT w.wallet_id, w.address, h.coins, h.reserved,
              (SELECT coalesce(sum(CASE WHEN l.to_wallet = w.wallet_id THEN l.amount ELSE 0 END)
                    - sum(CASE WHEN l.from_wallet = w.wallet_id THEN l.amount ELSE 0 END), 0)::bigint
                 FROM held_logs l WHERE l.asset_id = h.asset_id) AS held,
              (SELECT coalesce(sum(reserved), 0)::bigint FROM coin_moves m
                WHERE m.wallet_id = w.wallet_id AND m.asset_id = h.asset_id) AS owed
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
    get signer() {
      return world.openSigner();
    },
    openSigner({
      db: given = world.db,
      keys = wallets,
      wrapSender = (sender: ProviderSender) => sender,
      testSender,
    } = {}) {
      const signer = openSigner({
        db: given,
        keyrings: { local: keys, ...(circle && { circle }) },
        providers: [
          circle
            ? { ...circle, provider: 'circle' }
            : sending
              ? { ...sending.accounts, provider: 'circle_send' }
              : { ...keys, provider: 'local' },
        ],
        others: { [TEST_PROVIDER]: provider, ...(sending && { circle_send: sending.accounts }) },
        senders: sending ? { circle_send: wrapSender(sending.sender) } : {},
        networks: [{ ...chain, maxFeePerGasWei: world.network.settings.maxFeePerGasWei }],
        limits: world.signingLimits,
      });
      if (!mixed) return signer;
      return {
        ...signer,
        transfers: sendDirectly(() => world.db, testSender ?? provider.transfers, signer.transfers),
      };
    },
    signingLimits: { payment: undefined, day: undefined },
    rails: {
      local: eip3009Rail,
      ...(circle && { circle: eip3009Rail }),
      ...(mixed && { [TEST_PROVIDER]: providerRail }),
      ...(sending && { circle_send: providerRail }),
    },
    provider,
    seed,
    network,
    usdc: network.assets[0]!,
    sendRules: { approvalThreshold: undefined, newRecipientDelaySeconds: 0 },
    get sends() {
      return openSends(world);
    },
    turn,
    async person(username, amount = '0', coinsIn) {
      return insertHolder(await insertUser(world.db, username), username, amount, coinsIn);
    },
    treasury: (amount = '0') => insertHolder(null, 'treasury', amount),
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
      await provider.step();
      await onMine?.();
      await local.mine({ count: blocks, advanceSeconds });
    },
    async credit() {
      await world.mine(FINALITY_BLOCKS + 1);
      await world.work();
    },
    async payUser(from, receiver, amount) {
      const { databaseUrl, db: at } = world;
      const userPayments = openUserPayments({ databaseUrl, db: at, homeBlockchain: HOME, currency: 'USDC' });
      const request = { senderId: from.userId!, receiver, amount: parseUsdc(amount) };
      const { result } = await sendToUser({ userPayments }, request).finally(() => userPayments.close());
      if ('refusal' in result) throw result.refusal;
      return result.payment.paymentId;
    },
    async send({ amount, ...request }) {
      const { result } = await sendToAddress(world, {
        destination: randomAddress(),
        blockchain: HOME,
        currency: 'USDC',
        ...request,
        amount: typeof amount === 'string' ? parseUsdc(amount) : amount,
      } as SendToAddress);
      if ('refusal' in result) throw result.refusal;
      return result.answer;
    },
    get: async (paymentId) => (await findPayment(world.db, paymentId))!,
    async work(ports = {}) {
      const signer = ports.signer ?? world.signer;
      const app = { db: world.db, rails: world.rails, ...ports, signer };
      const net = { ...world.network, chain: ports.chain ?? chain };
      const jobs = await claimJobs(app.db, submitJob(HOME), 100, 0);
      const keys = jobs.map((job) => job.key);
      const outcomes = await submitPayments(app, net, keys);
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
      await startPayments(app, net);
      await carryPayments(app, net);
      while (await trackPayments(app, net));
      await failPayments(app, net);
      await refuseOverfunded(world.db);
    },
    async settleDown({ turns = 30 } = {}) {
      for (let i = 0; i < turns; i++) {
        await world.work();
        await world.mine(i === 0 ? 1 : FINALITY_BLOCKS); // First turn: in a block, but not final yet.
        const [{ open } = { open: 0 }] = await world.db.query<{ open: number }>(
          `SELECT (SELECT count(*) FROM payments WHERE NOT payment_is_final(state))::int
                + (SELECT count(*) FROM coin_moves WHERE state = 'open')::int
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
          if (row.owed !== row.reserved)
            faults.push(`${row.wallet_id} reserves ${row.reserved}, its moves ${row.owed}`);
          if (row.coins + row.held !== onChain[i])
            faults.push(`${row.wallet_id} counts ${row.coins} and ${row.held} held, the chain ${onChain[i]}`);
        }
      }
      const [sums] = await world.db.query<{ ledger: bigint; coins: bigint }>(
        `SELECT coalesce(-(SELECT sum(available) FROM accounts WHERE kind = 'chain'), 0)::bigint AS ledger,
                (SELECT coalesce(sum(coins), 0)::bigint FROM holdings) AS coins`,
      );
      if (sums!.ledger !== sums!.coins) faults.push(`the ledger owes ${sums!.ledger}, custody holds ${sums!.coins}`);
      return [...faults, ...(await listContradictoryRows(world.db)), ...(await compareEnds(world))];
    },
    async stop() {
      await onStop?.();
      await served.close();
      await world.db.close();
      await database.drop();
      await runAsAdmin(`DROP DATABASE IF EXISTS ${new URL(database.url).pathname.slice(1)}_old WITH (FORCE)`);
    },
  };
  await registerRelayers({ db, signer: world.signer }, network);
  const relayer = await wallets.create({ kind: 'relayer', number: 0 });
  await turn('/faucet', { address: relayer.address, eth: '100' });
  await local.mine({ count: 1 });
  await watchGas({ db }, network);
  return world;
}
