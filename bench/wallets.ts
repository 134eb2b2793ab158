/**
 * Compares the cost of 100,000 wallets with that of 1,000: a poll of the chain, reserving the coins of a send whose own
 * wallet is short, an idle settlement, a poll of reconciliation. Both sizes run on one PostgreSQL, in alternating
 * polls, so that other load on the machine slows both down.
 */

import type { Usdc } from '../server/src/core/money.ts';
import type { Hex } from '../server/src/core/ports.ts';
import { followLedger } from '../server/src/custody/coins/keptPositions.ts';
import { pauseOnDrift } from '../server/src/custody/coins/pauseOnDrift.ts';
import { settleWallets } from '../server/src/custody/coins/settleWallets.ts';
import { eip3009Rail } from '../server/src/custody/eip3009/eip3009Rail.ts';
import type { Network } from '../server/src/custody/network.ts';
import type { CustodyApp } from '../server/src/custody/rail.ts';
import type { Db } from '../server/src/db/database.ts';
import { openSends } from '../server/src/payments/sends/openSends.ts';
import { sendToAddress } from '../server/src/payments/sends/sendToAddress.ts';
import { submitPayments } from '../server/src/payments/sends/submitPayments.ts';
import { finish } from './support/finish.ts';
import { HOME, median, round } from './support/ledgerWorld.ts';
import { openPollWorld, type PollWorld, type WorldPoll } from './support/pollWorld.ts';
import { sized } from './support/short.ts';
import { COINS, openFilledNetwork, openWalletWorld } from './support/walletWorld.ts';

const FEW = sized(1_000, 20);
const MANY = sized(100_000, 40);
const TIMES = sized(30, 2);
const POLLS = sized(100, 2);
const RECEIVERS = sized(1_000, 20);
/** The poll is measured on another network of the same wallets, with its own chain. */
const POLLED_BLOCKCHAIN = 'BASE-SEPOLIA';

interface Figures {
  readonly calls: number;
  readonly pollMs: number;
  readonly depositsPerSecond: number;
  readonly reserveMs: number;
  readonly settleMs: number;
  readonly reconcileMs: number;
}

export default async function run(): Promise<void> {
  const world = await openWalletWorld();
  try {
    const [few, many] = [await world.createDatabase('few'), await world.createDatabase('many')];
    const coins = [await measureCoins(few, FEW), await measureCoins(many, MANY)] as const;
    const polls = await measurePolls([few, many]);
    report({ ...coins[0], ...polls[0]! }, { ...coins[1], ...polls[1]! });
  } finally {
    await world.stop();
  }
}

type PollFigures = Pick<Figures, 'calls' | 'pollMs' | 'depositsPerSecond'>;

/** One poll of each database after the other. */
async function measurePolls(databases: readonly Db[]): Promise<PollFigures[]> {
  const worlds: { readonly db: Db; readonly chain: PollWorld; readonly polls: WorldPoll[] }[] = [];
  try {
    for (const db of databases) worlds.push({ db, chain: await openPollWorld(db, POLLED_BLOCKCHAIN), polls: [] });
    for (let i = 0; i < POLLS; i++) for (const { chain, polls } of worlds) polls.push(await chain.poll());
    const figures: PollFigures[] = [];
    for (const { db, chain, polls } of worlds) {
      const rows = await db.query<{ address: Hex }>('SELECT address FROM wallets ORDER BY wallet_id LIMIT $1', [
        RECEIVERS,
      ]);
      figures.push({
        calls: median(polls.map((poll) => poll.calls)),
        pollMs: median(polls.map((poll) => poll.ms)),
        depositsPerSecond: await chain.creditDust(rows.map((row) => row.address)),
      });
    }
    return figures;
  } finally {
    await Promise.all(worlds.map(({ chain }) => chain.close()));
  }
}

async function measureCoins(db: Db, wallets: number): Promise<Omit<Figures, keyof PollFigures>> {
  console.log(`Filling a database with ${wallets} wallets.`);
  const network = await openFilledNetwork(db, HOME, wallets);
  const app = { db, rails: { local: eip3009Rail } } as unknown as CustodyApp;
  await followLedger(db);
  // The first one records that nothing is to be settled.
  await settleWallets(app, network, network.assets[0]!);
  const settleMs = await time(async () => {
    const { transfers } = await settleWallets(app, network, network.assets[0]!);
    if (transfers > 0) throw new Error('there was something to settle');
  });
  const reserveMs = await timeReserving(app, network, wallets);
  const reconcileMs = await time(() => pauseOnDrift(app, network));
  const drifts = await db.query('SELECT FROM drifts');
  if (drifts.length > 0) throw new Error(`${drifts.length} wallets differ`);
  return { reserveMs, settleMs, reconcileMs };
}

/**
 * After a tenth of the people have paid someone 50 USDC, some of these send 120 of their 150, with 100 in their wallet.
 */
async function timeReserving(app: CustodyApp, network: Network, wallets: number): Promise<number> {
  const { assetId } = network.assets[0]!;
  const receivers = await app.db.query<{ wallet_id: string }>(
    `WITH numbered AS (
       SELECT a.account_id, a.user_id, row_number() OVER (ORDER BY a.account_id) AS n FROM accounts a
        WHERE a.kind = 'user' AND a.asset_id = $1
     ), paid AS MATERIALIZED (
       SELECT r.user_id, ledger_apply(gen_random_uuid(), 'internal', p.account_id, r.account_id, $3, NULL, NULL) AS did
         FROM numbered p JOIN numbered r ON r.n = p.n + $2 WHERE p.n <= $2
     ) SELECT w.wallet_id FROM paid JOIN wallets w USING (user_id) WHERE (paid.did).outcome = 'applied'`,
    [assetId, wallets / 10, COINS / 2n],
  );
  await followLedger(app.db);
  const sends = openSends({ db: app.db, sendRules: { approvalThreshold: undefined, newRecipientDelaySeconds: 0 } });
  return time(async (nth) => {
    const { result } = await sendToAddress(
      { db: app.db, sends },
      {
        destination: '0x000000000000000000000000000000000000dEaD',
        blockchain: HOME,
        currency: 'USDC',
        amount: ((COINS * 6n) / 5n) as Usdc,
        walletId: receivers[nth]!.wallet_id,
      },
    );
    if ('refusal' in result) throw result.refusal;
    const began = performance.now();
    const [outcome] = await submitPayments(app, network, [result.answer]);
    if (outcome !== 'done') throw new Error(`the coins of a send were not reserved: ${JSON.stringify(outcome)}`);
    return performance.now() - began;
  });
}

/** The median; `work` may measure a part of itself. */
async function time(work: (nth: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < TIMES; i++) {
    const began = performance.now();
    const own = await work(i);
    times.push(typeof own === 'number' ? own : performance.now() - began);
  }
  return median(times);
}

function report(few: Figures, many: Figures): void {
  const growth = (pick: (one: Figures) => number) => round(pick(many) / pick(few));
  const row = (what: string, pick: (one: Figures) => number, digits = 1) => ({
    what,
    [`${FEW} wallets`]: round(pick(few), digits),
    [`${MANY} wallets`]: round(pick(many), digits),
    growth: growth(pick),
  });
  console.table([
    row('RPC calls per poll', (one) => one.calls),
    row('a poll, ms', (one) => one.pollMs),
    row('reserving a send whose wallet is short, ms', (one) => one.reserveMs),
    row('an idle settlement, ms', (one) => one.settleMs, 2),
    row('a reconciliation poll, ms', (one) => one.reconcileMs),
    row('deposits credited per second', (one) => one.depositsPerSecond, 0),
  ]);
  const figures = {
    wallets: MANY,
    call_growth: growth((one) => one.calls),
    poll_growth: growth((one) => one.pollMs),
    reserve_growth: growth((one) => one.reserveMs),
    settle_growth: growth((one) => one.settleMs),
    reconcile_growth: growth((one) => one.reconcileMs),
    deposits_per_s: round(many.depositsPerSecond, 0),
  };
  const { call_growth, poll_growth, reserve_growth, settle_growth, reconcile_growth } = figures;
  finish('wallets', figures, {
    promises: { 'call_growth must be at most 1.5': call_growth <= 1.5 },
    speed: {
      'poll_growth must be at most 1.5': poll_growth <= 1.5,
      'reserve_growth, settle_growth and reconcile_growth must be at most 3':
        Math.max(reserve_growth, settle_growth, reconcile_growth) <= 3,
    },
  });
}
