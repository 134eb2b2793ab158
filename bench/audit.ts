/**
 * Measures the cost of the continuous audit for payers, and how fast it finds a fault. People pay each other over HTTP
 * as in `bench/p2p.ts`, in short alternating rounds with and without the audit; the audit runs in a separate process,
 * as in a worker. Then, under the same load, the owner of the database changes a balance by hand.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SANDBOX_IDENTITY } from '../server/src/bin/config/faults/modeFaults.ts';
import { auditWhole } from '../server/src/custody/books/auditWhole.ts';
import type { Db } from '../server/src/db/database.ts';
import { applyLoad, type Load } from './load/p2pLoad.ts';
import { finish } from './support/finish.ts';
import { fillLedger } from './support/growth/growthRows.ts';
import { createPeople, median, openWorld, round, SECONDS } from './support/ledgerWorld.ts';
import { isShort, sized } from './support/short.ts';
import { compileServer, prepareServers } from './support/startBuiltServer.ts';

const PEOPLE = sized(10_000, 100);
/** The number of rows. It can be smaller during development; published figures need this many. */
const ROWS = Number(process.env.FLORIN_BENCH_ROWS ?? sized(1_000_000, 2_000));
const ROUNDS = sized(6, 1);
/** Long enough for two comparisons. */
const ROUND_SECONDS = sized(Math.max(4, Math.ceil(SECONDS / 3)), 1);
const MUST = { paymentsRatio: 0.97, detectSeconds: 10 };
/** The time for which people pay while the audit searches for the fault. */
const DETECT_SECONDS = sized(3 * MUST.detectSeconds, 1);

interface Scene {
  readonly db: Db;
  readonly auditor: ChildProcess;
  pay(seconds: number): Promise<number>;
}

export default async function benchAudit(): Promise<void> {
  await compileServer();
  const world = await openWorld();
  const { databaseUrl, db } = await world.createDatabase('florin_sandbox');
  const people = await createPeople(db, PEOPLE, SANDBOX_IDENTITY);
  await fillLedger(db, ROWS);
  await db.query('VACUUM ANALYZE');
  const servers = await prepareServers('sandbox', databaseUrl, db);
  const auditor = fork(fileURLToPath(new URL('support/auditProcess.ts', import.meta.url)), [databaseUrl], {
    execArgv: ['--import', 'tsx'],
  });
  try {
    const server = await servers.start();
    const pay = (seconds: number) => load({ url: server.backendUrl, people, connections: 256, hot: false, seconds });
    await measure({ db, auditor, pay });
    await server.stop();
  } finally {
    auditor.disconnect();
    servers.remove();
    await world.stop();
  }
}

async function load(one: Load): Promise<number> {
  const { perSecond, refused } = await applyLoad(one);
  if (refused > 0) throw new Error('a payment was refused or lost');
  return perSecond;
}

async function signal(auditor: ChildProcess, wish: 'go' | 'rest'): Promise<void> {
  auditor.send(wish);
  await once(auditor, 'message');
}

async function measure(scene: Scene): Promise<void> {
  const { db, auditor, pay } = scene;
  if (!isShort) await pay(ROUND_SECONDS);
  await signal(auditor, 'go');
  await signal(auditor, 'rest');
  const rounds: { without: number; with: number }[] = [];
  for (let nth = 0; nth < ROUNDS; nth++) {
    const rates = { without: 0, with: 0 };
    for (const which of nth % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)) {
      if (which === 'with') await signal(auditor, 'go');
      rates[which] = await pay(ROUND_SECONDS);
      if (which === 'with') await signal(auditor, 'rest');
    }
    rounds.push(rates);
  }
  const detectSeconds = await detect(scene);
  const cycleSeconds = await measureCycle(scene);
  const whole = await auditWhole(db);
  if (whole.faults.length > 0) throw new Error(`the ledger is wrong: ${JSON.stringify(whole.faults[0]!.fault)}`);
  report(rounds, detectSeconds, cycleSeconds, whole.rows / whole.seconds);
}

/** Seconds from the change of an active account's balance to the pause. */
async function detect({ db, auditor, pay }: Scene): Promise<number> {
  await signal(auditor, 'go');
  const paying = pay(ROUND_SECONDS + DETECT_SECONDS);
  await sleep(ROUND_SECONDS * 500);
  const [victim] = await db.query<{ id: bigint }>(
    `SELECT account_id AS id FROM accounts WHERE kind = 'user' ORDER BY random() LIMIT 1`,
  );
  const [changed] = await db.query<{ entries: bigint }>(
    'UPDATE accounts SET available = available + 90000000 WHERE account_id = $1 RETURNING entries',
    [victim!.id],
  );
  const beganMs = performance.now();
  const isPaused = async () => (await db.query(`SELECT FROM pauses WHERE cause = 'audit'`)).length > 0;
  while (!(await isPaused()) && performance.now() - beganMs < 3_000 * MUST.detectSeconds) await sleep(50);
  const seconds = (performance.now() - beganMs) / 1_000;
  const [pause] = await db.query<{ reason: string }>(`SELECT reason FROM pauses WHERE cause = 'audit'`);
  console.log(`Account ${victim!.id} was changed. The reason of the pause: ${pause?.reason}`);
  await paying;
  await signal(auditor, 'rest');
  await putRight(db, victim!.id, changed!.entries);
  return seconds;
}

/**
 * Undoes the change by hand. Later transfers of the account were computed from the changed balance, so they are
 * corrected too.
 */
async function putRight(db: Db, account: bigint, entries: bigint): Promise<void> {
  await db.tx(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('UPDATE accounts SET available = available - 90000000 WHERE account_id = $1', [account]);
    for (const side of ['debit', 'credit'])
      await tx.query(
        `UPDATE transfers SET ${side}_available = ${side}_available - 90000000
          WHERE ${side}_account = $1 AND ${side}_entry > $2`,
        [account, entries],
      );
  });
}

/** The duration of a cycle at the pace that it has without load. */
async function measureCycle({ db, auditor }: Scene): Promise<number> {
  const read = async () =>
    (
      await db.query<{ rows: number; ledger: number }>(
        'SELECT rows_total::float8 AS rows, (SELECT count(*) FROM transfers)::float8 AS ledger FROM book_audits',
      )
    )[0]!;
  await signal(auditor, 'go');
  const before = await read();
  const beganMs = performance.now();
  let after = before;
  // A small ledger is read in one go, and then the audit rests for a while.
  for (let round = 0; round < 30 && after.rows === before.rows; round++) {
    await sleep(ROUND_SECONDS * 1_000);
    after = await read();
  }
  const rate = (after.rows - before.rows) / ((performance.now() - beganMs) / 1_000);
  await signal(auditor, 'rest');
  return after.ledger / rate;
}

function report(
  rounds: readonly { without: number; with: number }[],
  detectSeconds: number,
  cycleSeconds: number,
  rowsPerSecond: number,
): void {
  console.log('round    without audit/s    with audit/s    ratio');
  for (const [nth, one] of rounds.entries())
    console.log(
      String(nth + 1).padEnd(9) +
        [Math.round(one.without), Math.round(one.with), (one.with / one.without).toFixed(3)]
          .map((cell, i) => String(cell).padStart([15, 16, 9][i]!))
          .join(''),
    );
  const ratio = median(rounds.map((one) => one.with / one.without));
  finish(
    'audit',
    {
      payments_ratio: round(ratio, 3),
      rows_per_s: Math.round(rowsPerSecond),
      detect_s: round(detectSeconds, 1),
      cycle_s: Math.round(cycleSeconds),
    },
    {
      speed: {
        [`payments_ratio must be at least ${MUST.paymentsRatio}`]: ratio >= MUST.paymentsRatio,
        [`detect_s must be at most ${MUST.detectSeconds}`]: detectSeconds <= MUST.detectSeconds,
      },
    },
  );
}
