/**
 * An upgrade as `docs/operating/upgrade.md` describes it, while people pay each other and addresses without a pause:
 * the migration, the signer, then one process after another; back to the old build, and forward again; and the last
 * step, which finishes it. A call that finds its server gone, or not ready, is repeated at another one under the same
 * key.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDatabase } from '../../../server/src/db/database.ts';
import { checkBooks } from '../../../server/src/ledger/checkBooks.ts';
import { type Payer, startPayers } from '../failover/payers.ts';
import { judgeEndOf } from '../properties/judgeEnd.ts';
import { type Build, type Fleet, openFleet, type RunningProcess } from './fleet.ts';
import type { Release } from './previousRelease.ts';
import { logIn, settlePeople } from './settlePeople.ts';

const MINE_EVERY_MS = 250;
const POLL_EVERY_MS = 50;
const SENT = 10_000n;
/**
 * Errors that a client may get while servers are replaced, and after which it repeats the call. Any other error is a
 * failed call.
 */
const MAY_REPEAT = /^(connection lost|no answer|503 .*|409 idempotency\.in_progress)$/;

interface Load {
  readonly people: number;
  /** The number of calls that must be answered in every phase before the next one begins. */
  readonly payments: number;
  readonly sends: number;
  /** The pause between two payments of one person. Default: none. */
  readonly pauseMs?: number;
  say?(line: string): void;
}

interface Phase {
  readonly name: string;
  readonly payments: number;
  readonly sends: number;
  readonly longestGapMs: number;
}

interface Upgrade {
  readonly phases: readonly Phase[];
  /** The number of repeated calls, by cause. */
  readonly repeated: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  readonly sends: number;
  readonly sendsComplete: number;
  /** Addresses that did not get exactly what was sent to them. */
  readonly wronglyPaid: number;
  /** People whose wallet differed between servers of both releases. */
  readonly movedWallets: number;
  readonly books: readonly string[];
  /** Processes that were asked to end and did not end cleanly. */
  readonly endedBadly: readonly string[];
}

export async function rollUpgrade(previous: Release, load: Load): Promise<Upgrade> {
  const fleet = await openFleet(previous);
  const db = openDatabase(fleet.adminUrl, { maxConnections: 4 });
  const mining = setInterval(() => void fleet.chain.mine().catch(() => {}), MINE_EVERY_MS);
  try {
    return await roll(fleet, db, previous, load);
  } finally {
    clearInterval(mining);
    await db.close();
    await fleet.stop();
  }
}

async function roll(fleet: Fleet, db: Db, previous: Release, load: Load): Promise<Upgrade> {
  const signer = previous.hasSigner ? await fleet.start('old', 'signer') : undefined;
  const [one, two, firstWorker] = await Promise.all([
    fleet.start('old', 'server'),
    fleet.start('old', 'server'),
    fleet.start('old', 'worker'),
  ]);
  const servers: RunningProcess[] = [one, two];
  let worker = firstWorker;
  const words = previous.hasSigner ? ['create', 'shop', '--any-wallet'] : ['create', '--name', 'shop'];
  const serviceKey = /fsk_\S+/.exec(await fleet.run('old', 'keys', ...words, '--scope', 'read', '--scope', 'send'))![0];
  const people = await settlePayers(fleet, db, one, load.people);
  const urls = { backendUrls: [] as string[], web3Urls: [] as string[], serviceKey };
  const list = (...known: readonly RunningProcess[]) => {
    urls.backendUrls.splice(0, 3, ...known.map((server) => server.urls.backend_url));
    urls.web3Urls.splice(0, 3, ...known.map((server) => server.urls.web3_url));
  };
  list(...servers);
  const paying = startPayers(urls, people, load.pauseMs);

  const phases: Phase[] = [];
  const payments: string[] = [];
  const sends: string[] = [];
  const repeated = new Map<string, number>();
  const endedBadly: string[] = [];
  const end = async (process: RunningProcess) => {
    const words = await process.end();
    if (words !== undefined) endedBadly.push(words);
  };
  let lastMs = performance.now();
  const note = (phase: { payments: number; sends: number; longestGapMs: number }, taken = paying.take()) => {
    const gapMs = performance.now() - lastMs;
    if (taken.payments.length > 0) lastMs = performance.now();
    payments.push(...taken.payments);
    sends.push(...taken.sends);
    for (const [code, count] of taken.errors) repeated.set(code, (repeated.get(code) ?? 0) + count);
    phase.payments += taken.payments.length;
    phase.sends += taken.sends.length;
    phase.longestGapMs = Math.max(phase.longestGapMs, gapMs);
  };
  /** Runs a step, and waits until enough payments have been answered after it. */
  async function phase(name: string, work: () => Promise<unknown>): Promise<void> {
    const counted = { name, payments: 0, sends: 0, longestGapMs: 0 };
    let isDone = false;
    let failure: { readonly error: unknown } | undefined;
    const done = work()
      .catch((error: unknown) => {
        failure = { error };
      })
      .finally(() => {
        isDone = true;
      });
    let before = { payments: 0, sends: 0 };
    while (!isDone || counted.payments < before.payments + load.payments || counted.sends < before.sends + load.sends) {
      if (!isDone) before = { ...counted };
      await sleep(POLL_EVERY_MS);
      note(counted);
      const failed = [...repeated.keys()].find((code) => !MAY_REPEAT.test(code));
      if (failed) throw new Error(`during "${name}" a call was answered with ${failed}`);
      if (failure) throw failure.error;
    }
    await done;
    phases.push(counted);
    load.say?.(
      `${name}: ${counted.payments} payments, ${counted.sends} sends, longest gap ${Math.round(counted.longestGapMs)} ms`,
    );
  }
  /** The old one still takes calls when it is asked to end: a disconnected client asks another one. */
  const replaceServer = (nth: 0 | 1, build: Build) => async () => {
    const next = await fleet.start(build, 'server');
    const last = servers[nth]!;
    servers[nth] = next;
    list(...servers, last);
    await end(last);
    list(...servers);
  };
  const replaceWorker = (build: Build) => async () => {
    const next = await fleet.start(build, 'worker');
    await end(worker);
    worker = next;
  };

  try {
    await phase(`two servers and a worker of ${previous.version}`, async () => {});
    await phase('the migration', () => fleet.run('new', 'migrate'));
    await phase('a signer', async () => {
      await signer?.end();
      return fleet.start('new', 'signer');
    });
    await phase('the first server', replaceServer(0, 'new'));
    const moved = await countMoved(fleet, servers, 'in between');
    await phase('the worker', replaceWorker('new'));
    await phase('the second server', replaceServer(1, 'new'));
    await phase('back: the worker', replaceWorker('old'));
    await phase('back: the first server', replaceServer(0, 'old'));
    const movedBack = await countMoved(fleet, servers, 'gone back');
    await phase('forward again: the first server', replaceServer(0, 'new'));
    await phase('forward again: the worker', replaceWorker('new'));
    await phase('finishing', () => fleet.run('new', 'migrate', '--finish', '--yes'));
    note({ payments: 0, sends: 0, longestGapMs: 0 }, await paying.stop());
    const judged = await judge(fleet, db, payments, sends);
    return {
      phases,
      repeated: Object.fromEntries(repeated),
      endedBadly,
      movedWallets: moved + movedBack,
      ...judged,
    };
  } catch (error) {
    paying.leave();
    throw error;
  }
}

/** People who are logged in and have money; each pays the next. */
async function settlePayers(fleet: Fleet, db: Db, { urls }: RunningProcess, count: number): Promise<Payer[]> {
  const names = Array.from({ length: count }, (_, i) => `payer_${'abcdefghjkmnpqrstuvw'[i]}`);
  const wanted = names.map((username) => ({ username, usdc: 1_000 }));
  const people = await settlePeople(fleet, db, urls.backend_url, wanted);
  return people.map(({ userId, bearer }, i) => ({ userId, bearer, pays: names[(i + 1) % count]! }));
}

/** People who register while both releases run have one wallet, whichever release made it. */
async function countMoved(fleet: Fleet, servers: readonly RunningProcess[], when: string): Promise<number> {
  let moved = 0;
  for (const first of servers) {
    const name = `${when} ${first.build}`;
    const wallets: (string | null)[] = [];
    for (const server of [first, ...servers.filter((other) => other !== first)])
      wallets.push((await logIn(fleet, server.urls.backend_url, name)).wallet.address);
    if (new Set(wallets).size !== 1) moved++;
  }
  return moved;
}

async function judge(fleet: Fleet, db: Db, payments: readonly string[], sends: readonly string[]) {
  await fleet.chain.mineUntil(async () => {
    const open = await db.query('SELECT 1 FROM payments WHERE NOT payment_is_final(state) LIMIT 1');
    if (open.length > 0) throw new Error('sends are in progress');
  });
  const found = await db.query(`SELECT 1 FROM transfers_by_id($1) t WHERE t.kind = 'user'`, [payments]);
  const [made] = await db.query<{ count: bigint }>(`SELECT count(*) FROM transfers WHERE kind = 'user'`);
  const sent = await db.query<{ payment_id: string; state: string; destination: string }>(
    'SELECT payment_id, state, destination FROM payments',
  );
  const balances = await Promise.all(sent.map(({ destination }) => fleet.chain.balanceOf(destination)));
  const lost = payments.length - found.length;
  return {
    acknowledged: payments.length,
    lost,
    // Every payment was repeated until it was answered, so anything else was made twice.
    doubled: Number(made!.count) - found.length + (sent.length - new Set(sends).size),
    sends: sends.length,
    sendsComplete: sent.filter(({ payment_id: id, state }) => state === 'COMPLETE' && sends.includes(id)).length,
    wronglyPaid: balances.filter((balance) => balance !== SENT).length,
    books: [
      ...(await checkBooks(db)).faults,
      ...(await judgeEndOf({ databaseUrl: fleet.adminUrl, mine: fleet.chain.mine })),
    ],
  };
}
