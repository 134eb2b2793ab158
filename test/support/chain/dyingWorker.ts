/**
 * Random work on a random chain with a worker that keeps dying, and people who change their minds; in the end
 * everything must be exact.
 */
import { PayError } from '../../../server/src/core/errors.ts';
import { parseUsdc } from '../../../server/src/core/money.ts';
import { reconcile } from '../../../server/src/custody/coins/reconcile.ts';
import { settleWallets } from '../../../server/src/custody/coins/settleWallets.ts';
import { cancelPayment } from '../../../server/src/payments/sends/cancelPayment.ts';
import { openUserPayments } from '../../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../../server/src/payments/users/sendToUser.ts';
import { type SetUp, setUp } from '../circle/sendingWorld.ts';
import { judgeEnd } from '../properties/judgeEnd.ts';
import { HOME } from '../values.ts';
import { Crash, createMortal, createMortalSigner, type Mortal } from './crash.ts';
import { type Holder, randomAddress, startCustody } from './custody.ts';
import { TEST_PROVIDER } from './provider.ts';

interface DyingWorkerResult {
  readonly seed: number;
  readonly payments: number;
  readonly crashes: number;
  readonly reorgs: number;
  /** Where the worker died, and how often. */
  readonly places: ReadonlyMap<string, number>;
  readonly transfers: number;
  /** The number of requested cancellations, and of payments that ended that way. */
  readonly asked: number;
  readonly cancelled: number;
  /** The faults at the end. Any entry is a bug. */
  readonly faults: readonly string[];
}

/** Mulberry32: the same seed repeats the same actions, as far as timing allows. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface DyingWorkerOptions {
  readonly seed: number;
  readonly crashes: number;
  readonly reorgs: number;
  /** People's wallets belong to a provider that sends; half of their coins arrive in wallets that sign. */
  readonly isMixed?: boolean;
  /** The holder of the keys of people's wallets, if it is not the test provider. */
  readonly kind?: SetUp;
}

export async function runDyingWorker(options: DyingWorkerOptions): Promise<DyingWorkerResult> {
  const random = createRandom(options.seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const { isMixed = false, kind = 'own keys' } = options;
  const home = setUp(kind);
  const world = await startCustody(
    { callsPerRelayTx: 4, missingAfterMs: 600_000 },
    isMixed ? { walletProvider: TEST_PROVIDER } : home.options,
  );
  const double = home.double();
  const userPayments = openUserPayments({
    databaseUrl: world.databaseUrl,
    db: world.db,
    homeBlockchain: HOME,
    currency: 'USDC',
  });
  const places = new Map<string, number>();
  const sent = new Map<string, { id: string; amount: bigint }>();
  let crashes = 0;
  let reorgs = 0;
  let asked = 0;
  try {
    const people: Holder[] = [];
    for (const name of ['ann', 'ben']) people.push(await world.person(name, '500'));
    for (const name of ['cem', 'dora']) people.push(await world.person(name, '500', 'local'));
    await world.treasury('500');
    await world.credit();

    /** The worker dies after some steps, before or after one of them. */
    async function workUntilDeath(): Promise<void> {
      let left = Math.floor(random() * 70);
      const end = random() < 0.5 ? 'before' : 'after';
      if (random() < 0.2) return signUntilDeath(Math.floor(left / 10), end);
      const mortal: Mortal = createMortal(world, () => (left-- === 0 ? end : undefined));
      try {
        await world.work(mortal);
        if (random() < 0.15) {
          const dying = { db: mortal.db, rails: world.rails };
          await settleWallets(dying, { ...world.network, chain: mortal.chain }, world.usdc);
        }
      } catch (error) {
        if (!(error instanceof Crash) && !mortal.died) throw error;
        crashes++;
        const place = mortal.died!.replace(/\s+/g, ' ').slice(0, 48);
        places.set(place, (places.get(place) ?? 0) + 1);
      }
    }

    /** The signer dies alone, and the worker continues without its answers. */
    async function signUntilDeath(steps: number, end: 'before' | 'after'): Promise<void> {
      let left = steps;
      const mortal = createMortalSigner(world, () => (left-- === 0 ? end : undefined));
      await world.work({ signer: mortal.signer });
      if (!mortal.died) return;
      crashes++;
      const place = `signer ${mortal.died.replace(/\s+/g, ' ')}`.slice(0, 48);
      places.set(place, (places.get(place) ?? 0) + 1);
    }

    /** Cancels one of the last payments, signed or not; the caller may die during it, and may ask again. */
    async function changeMind(): Promise<void> {
      const recent = [...sent.values()].slice(-4);
      if (recent.length === 0) return;
      const { id: paymentId } = pick(recent);
      const end = pick(['before', 'after', undefined] as const);
      const mortal = createMortal(world, ({ name }) => (name === 'db.commit' ? end : undefined));
      asked++;
      await mortal.db
        .tx((tx) => cancelPayment(tx, { paymentId }))
        .catch((error: unknown) => {
          if (!(error instanceof Crash)) throw error;
        });
    }

    function disturbProvider(): void {
      Object.assign(world.provider.switches, {
        tellsHash: pick(['late', 'late', 'immediately', 'never']),
        isSlow: random() < 0.3,
        lostAnswers: pick([0, 0, 1, 2]),
        lostCalls: pick([0, 0, 1, 2]),
        cancels: pick(['accept', 'refuse', 'lose the answer']),
      });
    }

    function disturbCircle(): void {
      const kinds = ['cut_after', 'error_after', 'error', 'busy'] as const;
      const only = kind === 'Circle sends' ? '/transactions' : '/sign/';
      double?.control.turn({
        answers: random() < 0.7 ? { kind: pick(kinds), only, count: pick([1, 2, 3]) } : null,
        list_lag_ms: pick([0, 0, 3_000_000]),
        cancelled_word: pick(['CANCELLED', 'CANCELED']),
      });
    }

    async function act(): Promise<void> {
      const dice = random();
      if (dice < 0.04) {
        await changeMind();
      } else if (dice < 0.2) {
        const destination = randomAddress();
        const amount = BigInt(1 + Math.floor(random() * 3_000_000));
        const key = { caller: 'web3', route: '/wallet/send-usdc', text: destination };
        const from = random() < 0.8 ? { walletUsername: pick(people).username } : {};
        const id = await world.send({ destination, amount, key, ...from });
        if (random() < 0.3) await world.send({ destination, amount, key, ...from });
        sent.set(destination, { id, amount });
      } else if (isMixed && dice < 0.22) {
        await world.turn('/faucet', { address: pick(people).coinsAddress, usdc: '20' });
      } else if (dice < 0.3) {
        const [from, to] = [pick(people), pick(people)];
        await sendToUser({ userPayments }, { senderId: from.userId!, receiver: to.username, amount: parseUsdc('3.3') });
      } else if (dice < 0.5) {
        await world.mine();
      } else if (dice < 0.54 && reorgs < options.reorgs) {
        reorgs++;
        await world.turn('/reorg', { depth: pick([1, 2]), orphans: pick(['return', 'drop']) });
      } else if (dice < 0.57) {
        await world.turn('/faults', {
          broadcast: { kind: pick(['drop', 'lose_answer', 'refuse']), message: pick(REFUSALS) },
        });
        if (isMixed) disturbProvider();
        disturbCircle();
      } else {
        await workUntilDeath();
      }
    }

    for (let i = 0; i < 20_000 && (crashes < options.crashes || reorgs < options.reorgs); i++) {
      await act().catch((error: unknown) => {
        if (!(error instanceof PayError)) throw error;
      });
    }
    await world.turn('/faults', { broadcast: null });
    double?.control.reset();
    Object.assign(world.provider.switches, { tellsHash: 'late', isSlow: false, lostAnswers: 0, lostCalls: 0 });
    await world.db.query('UPDATE authorizations SET failures = 0, carry_after = now()');
    for (let i = 0; i < 60; i++) {
      await world.settleDown({ turns: 6 });
      const { transfers } = await settleWallets(world, world.network, world.usdc);
      if (transfers === 0 && (await countOpen(world.db)) === 0) break;
    }
    return { seed: options.seed, payments: sent.size, crashes, reorgs, asked, places, ...(await judge()) };
  } finally {
    await userPayments.close();
    await world.stop();
  }

  async function judge() {
    const faults = [...(await judgeEnd(world)), ...(await world.faults())];
    let transfers = 0;
    let cancelled = 0;
    for (const [destination, { id, amount }] of sent) {
      const wallet = destination as `0x${string}`;
      const logs = await world.listTransfers(wallet);
      transfers += logs.length;
      const { state } = await world.get(id);
      if (state === 'CANCELLED') cancelled++;
      else if (state !== 'COMPLETE') faults.push(`payment ${id} is ${state}`);
      const [count, paid] = state === 'CANCELLED' ? [0, 0n] : [1, amount];
      if (logs.length !== count || (await world.balance(wallet)) !== paid) {
        faults.push(`payment ${id} is ${state} and made ${logs.length} transfers`);
      }
      const ends = await world.db.query<{ kind: string }>('SELECT kind FROM transfers WHERE hold_id = $1', [id]);
      if (ends.length !== 1 || ends[0]!.kind !== (state === 'CANCELLED' ? 'release' : 'post')) {
        faults.push(`payment ${id} is ${state} and its hold ended as ${ends.map((one) => one.kind).join(' and ')}`);
      }
    }
    const pauses = await world.db.query<{ reason: string }>('SELECT reason FROM pauses');
    for (const { reason } of pauses) faults.push(`paused: ${reason}`);
    const difference = (await reconcile(world, world.network, world.usdc))?.difference;
    if (difference !== 0n) faults.push(`reconciliation differs by ${difference}`);
    const shared = await world.db.query<{ seq: bigint }>('SELECT seq FROM feed GROUP BY seq HAVING count(*) > 1');
    for (const { seq } of shared) faults.push(`two events share the position ${seq} in the feed`);
    return { faults, transfers, cancelled };
  }
}

const REFUSALS = ['replacement transaction underpriced', 'already known', 'txpool is full', 'an unknown message'];

async function countOpen(db: { query<Row>(sql: string): Promise<Row[]> }): Promise<number> {
  const [row] = await db.query<{ open: number }>(
    `SELECT (SELECT count(*) FROM payments WHERE NOT payment_is_final(state))::int
          + (SELECT count(*) FROM coin_moves WHERE state = 'open')::int AS open`,
  );
  return row!.open;
}
