/**
 * `npm run failover`: Florin in production mode (two servers that read at standbys, a worker, a signer, a chain) on
 * three PostgreSQL servers under Patroni, with the files of `deploy/ha/` as they are. People pay each other and addresses
 * without a pause while one fault follows another; only processes that a fault has killed are restarted by hand. Two
 * stories follow in which commits are lost under running servers. Its last line is JSON. Fails when an answered payment
 * is lost, one was made twice, a read was older than an answer, the gap was too long, or a story went wrong.
 *
 * `-- --asynchronous` shows why it refuses to certify a cluster whose standbys confirm no commits.
 * `FLORIN_PATRONI='python3 …/patroni.py'` runs a Patroni other than the installed one. One that can leave two primaries
 * is refused.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDatabase } from '../server/src/db/database.ts';
import { findLosses, readDurability } from '../server/src/db/durability.ts';
import { checkBooks } from '../server/src/ledger/checkBooks.ts';
import { listPauses } from '../server/src/operators/pauses.ts';
import { SEPOLIA_ID, startTestChain } from '../test/support/chain/chain.ts';
import { runAsAdmin } from '../test/support/database.ts';
import { FAULTS, type Fault, KILL_BEHIND } from '../test/support/failover/faults.ts';
import { openWires, type Wires } from '../test/support/failover/openWires.ts';
import { type Answered, type Payer, type Paying, startPayers } from '../test/support/failover/payers.ts';
import {
  type Cluster,
  findMissingTools,
  findPatroniFault,
  startCluster,
  until,
} from '../test/support/failover/startCluster.ts';
import { type Outcome, runRestore, runWrongReceiver, type Stage } from '../test/support/failover/stories.ts';
import { operate } from '../test/support/operate.ts';
import { startProduction } from '../test/support/production.ts';
import { judgeEndOf } from '../test/support/properties/judgeEnd.ts';
import { useTestPostgresOf } from '../test/support/startTestPostgres.ts';
import { readCommandLine } from './readCommandLine.ts';

const PEOPLE = 16;
const PAYER_NAMES = Array.from({ length: PEOPLE }, (_, i) => `payer_${'abcdefghjkmnpqrstuvw'[i]}`);
/** Before the next fault, and after the cluster is healthy again. */
const CALM_MS = 8_000;
/** The minimum number of payments per fault. The calm phase lasts until there are that many. */
const FEWEST_PAYMENTS = 3_000;
const LONGEST_CALM_MS = 60_000;
const SENDS_END_MS = 300_000;

interface Row extends Answered {
  readonly name: string;
  readonly lost: number;
}

const { values } = readCommandLine('npm run failover -- [--asynchronous]', {
  options: { asynchronous: { type: 'boolean' } },
});
const isAsynchronous = values.asynchronous === true;
const missing = findMissingTools();
if (missing.length > 0) throw new Error(`programs are missing: apt-get install ${missing.join(' ')}`);
const patroniFault = findPatroniFault();
if (patroniFault) throw new Error(patroniFault);
const cluster = await startCluster();
const chain = await startTestChain(SEPOLIA_ID);
try {
  if (isAsynchronous) await cluster.confirm(false);
  await useTestPostgresOf(await cluster.adminUrl());
  const { server } = JSON.parse(process.env.FLORIN_TEST_LOGINS!) as { server: string };
  await runAsAdmin(
    `GRANT pg_read_all_stats TO "${decodeURIComponent(new URL(server).username)}"`,
    await cluster.adminUrl(),
  );
  const wires = await openWires(cluster.nodes);
  // The second server is the one that can be cut off.
  let reach: Pick<Cluster | Wires, 'withAllHosts'> = cluster;
  const florin = await startProduction(
    { FLORIN_LOG_LEVEL: 'error', FLORIN_RATE_LIMITS: 'address=1000000, login=1000, user=1000000, key=1000000, kyc=10' },
    {
      chain,
      reach: async (url) => reach.withAllHosts(url),
      reachStandbys: (url) => reach.withAllHosts(url),
    },
  );
  const db = openDatabase(cluster.withAllHosts(florin.databaseUrl), {
    // However slow this machine is.
    connectTimeoutMs: 60_000,
    patienceMs: 300_000,
    statementTimeoutMs: 300_000,
  });
  const mining = setInterval(() => void chain.mine().catch(() => {}), 1_000);
  try {
    await certify(db);
    reach = wires;
    const second = await florin.startAnother();
    const rights = ['--scope', 'read', '--scope', 'send', '--any-wallet'];
    const serviceKey = /fsk_\S+/.exec(await operate(db, 'key', 'create', 'failover', ...rights))![0];
    const servers = {
      backendUrls: [florin.backendUrl, second.backend_url],
      web3Urls: [florin.web3Url, second.web3_url],
      serviceKey,
    };
    const stage = { cluster, florin, chain, db, servers };
    await (isAsynchronous ? showLoss(stage, wires) : certifyAll(stage, wires, second.ops_url));
  } finally {
    clearInterval(mining);
    await db.close();
    wires.close();
    process.env.FLORIN_TEST_DATABASE_URL = await cluster.adminUrl();
    await florin.stop();
  }
} finally {
  await chain.stop();
  await cluster.stop();
}

/** Reported before anything is measured, as a server reports it. */
async function certify(db: Db): Promise<void> {
  const losses = findLosses(await readDurability(db));
  for (const loss of losses) console.log(`Not certified: ${loss}`);
  if (losses.length > 0 && !isAsynchronous) throw new Error('this cluster could lose answered payments');
  if (losses.length === 0 && isAsynchronous)
    throw new Error('no server reported that this cluster could lose payments');
}

/** All faults, and the stories. */
async function certifyAll(stage: Stage, wires: Wires, secondOpsUrl: string): Promise<void> {
  const { db, servers } = stage;
  const people = await settle(stage);
  const paying = startPayers(servers, people);
  const rows: Row[] = [];
  for (const fault of FAULTS) rows.push(await measure(db, wires, paying, fault));
  rows.push({ ...(await paying.stop()), name: 'afterwards', lost: 0 });
  const judged = await judge(stage, rows);
  // After a loss sends are paused, and the stories need them.
  const stories = judged.isRight ? await tellStories(stage) : [];
  const endsAfter = judged.isRight ? await judgeEnds(stage) : ['not looked at'];
  const booksAfter = [...(await checkBooks(db)).faults, ...endsAfter];
  const ended = [...stage.florin.listDead(), ...((await answers(secondOpsUrl)) ? [] : ['second server'])];
  console.log(`\n${cluster.version}, lease ${cluster.ttl} s, standbys confirm commits`);
  printRows(rows);
  for (const { story, faults } of stories) console.log(`\n${story}: ${faults.join('; ') || 'as it must be'}`);
  const isCertified =
    judged.isRight &&
    stories.every(({ faults }) => faults.length === 0) &&
    booksAfter.length === 0 &&
    ended.length === 0;
  const result = {
    failover: true,
    patroni: cluster.version,
    synchronous: true,
    ...judged.result,
    ended,
    stories: Object.fromEntries(stories.map(({ story, faults }) => [story, faults.length === 0 ? 'right' : faults])),
    books_after_stories: booksAfter.length === 0 ? 'balance' : booksAfter.slice(0, 3),
    certified: isCertified,
  };
  console.log(`\n${isCertified ? 'Certified' : 'Not certified'}.\n${JSON.stringify(result)}`);
  if (!isCertified) process.exitCode = 1;
}

async function tellStories(stage: Stage): Promise<Outcome[]> {
  say('a name is lost in a failover and taken by another person');
  const receiver = await runWrongReceiver(stage, PAYER_NAMES[0]!);
  say('a backup restored under running servers');
  return [receiver, await runRestore(stage, PAYER_NAMES[0]!, PAYER_NAMES[1]!)];
}

/** The same death of a primary, without standbys that confirm. */
async function showLoss(stage: Stage, wires: Wires): Promise<void> {
  const paying = startPayers({ ...stage.servers, web3Urls: [] }, await settle(stage));
  const row = await measure(stage.db, wires, paying, KILL_BEHIND);
  paying.leave();
  console.log(`\n${cluster.version}, standbys confirm no commits`);
  printRows([row]);
  const { payments, lost } = row;
  console.log(`\nNot certified: ${lost} payments that were answered are lost.`);
  console.log(
    JSON.stringify({ failover: true, synchronous: false, acknowledged: payments.length, lost, certified: false }),
  );
  process.exitCode = 1;
}

/** Everything answered from shortly before the fault until shortly after the cluster is healthy again. */
async function measure(db: Db, wires: Wires, paying: Paying, fault: Fault): Promise<Row> {
  say(fault.name);
  await sleep(CALM_MS);
  await fault.run(cluster, wires);
  await cluster.heal();
  await sleep(CALM_MS);
  const endsMs = performance.now() + LONGEST_CALM_MS;
  while (!isAsynchronous && paying.count() < FEWEST_PAYMENTS && performance.now() < endsMs) await sleep(500);
  const answered = paying.take();
  return { ...answered, name: fault.name, lost: await countLost(db, answered.payments) };
}

async function countLost(db: Db, ids: readonly string[]): Promise<number> {
  const found = await db.query(`SELECT 1 FROM transfers_by_id($1) t WHERE t.kind = 'user'`, [ids]);
  return ids.length - found.length;
}

function say(what: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)}  ${what}`);
}

function printRows(rows: readonly Row[]): void {
  console.log(`${'fault'.padEnd(50)}  answered   lost   stale reads   longest gap   errors`);
  for (const { name, payments, lost, reads, stale, longestGapMs, errors } of rows) {
    const gap = `${(longestGapMs / 1000).toFixed(1)} s`;
    const looked = `${stale} of ${reads + stale}`;
    const cells = [
      String(payments.length).padStart(8),
      String(lost).padStart(6),
      looked.padStart(13),
      gap.padStart(13),
    ];
    const codes = [...errors].map(([code, count]) => `${code}: ${count}`).join(', ');
    console.log(`${name.padEnd(50)}  ${cells.join(' ')}   ${codes || 'none'}`);
  }
}

async function judge({ db, florin }: Stage, rows: readonly Row[]) {
  const payments = rows.flatMap((one) => one.payments);
  const sends = rows.flatMap((one) => one.sends);
  const [made] = await db.query<{ count: bigint }>(`SELECT count(*) FROM transfers WHERE kind = 'user'`);
  const lost = await countLost(db, payments);
  const stuck = await endSends(db, sends);
  const [sent] = await db.query<{ complete: bigint; known: bigint }>(
    `SELECT count(*) FILTER (WHERE state = 'COMPLETE') AS complete, count(*) AS known
       FROM payments WHERE payment_id = ANY ($1)`,
    [sends],
  );
  const ends = stuck.length > 0 ? stuck : await judgeEnds({ florin });
  const faults = [...(await checkBooks(db)).faults, ...ends];
  const sum = (read: (row: Row) => number) => rows.reduce((all, row) => all + read(row), 0);
  const longest = Math.max(...rows.map(({ longestGapMs }) => longestGapMs)) / 1000;
  const errors: Record<string, number> = {};
  for (const [code, count] of rows.flatMap((row) => [...row.errors])) errors[code] = (errors[code] ?? 0) + count;
  const result = {
    acknowledged: payments.length,
    lost,
    // Every payment was repeated until it was answered, so anything else was made twice.
    doubled: Number(made!.count) - (new Set(payments).size - lost),
    reads: sum(({ reads, stale }) => reads + stale),
    stale_reads: sum(({ stale }) => stale),
    sends: sends.length,
    sends_complete: Number(sent!.complete),
    sends_lost: sends.length - Number(sent!.known),
    errors,
    longest_gap_s: Math.round(longest * 10) / 10,
    books: faults.length === 0 ? 'balance' : faults.slice(0, 3),
  };
  const wrongs = [lost, result.doubled, result.stale_reads, result.sends_lost, faults.length];
  return { result, isRight: wrongs.every((count) => count === 0) && longest < cluster.ttl + 10 };
}

/** At whichever node is the primary now: at the end it is rarely the first one. */
function judgeEnds({ florin }: Pick<Stage, 'florin'>): Promise<string[]> {
  return judgeEndOf({ databaseUrl: cluster.withAllHosts(florin.databaseUrl), mine: chain.mine });
}

/**
 * Waits until every send has ended, and says why some have not: after commits were lost, sends are paused until an
 * operator has decided, and waiting for them would take forever.
 */
async function endSends(db: Db, sends: readonly string[]): Promise<string[]> {
  for (const endsMs = performance.now() + SENDS_END_MS; ; await chain.mine()) {
    const open = await db.query('SELECT 1 FROM payments WHERE payment_id = ANY ($1) AND NOT payment_is_final(state)', [
      sends,
    ]);
    if (open.length === 0) return [];
    const pauses = await listPauses(db);
    if (pauses.length > 0 || performance.now() > endsMs)
      return [
        `${open.length} sends have not ended`,
        ...pauses.map(({ scope, cause, reason }) => `${scope} is paused (${cause}): ${reason}`),
      ];
    await sleep(250);
  }
}

async function answers(opsUrl: string): Promise<boolean> {
  return fetch(`${opsUrl}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function logIn({ florin }: Stage): Promise<Payer[]> {
  const people: Payer[] = [];
  for (const [i, name] of PAYER_NAMES.entries()) {
    const idToken = await florin.issuer.sign({ sub: name, email: `${name}@example.com`, email_verified: true });
    const session = (await florin.call('POST', '/api/v1/login', { id_token: idToken })).body;
    const [bearer, userId] = [session.access_token as string, session.user.user_id as string];
    people.push({ userId, bearer, pays: PAYER_NAMES[(i + 1) % PEOPLE]! });
  }
  return people;
}

/** People who are logged in and have names and money. */
async function settle(stage: Stage): Promise<Payer[]> {
  const people = await logIn(stage);
  for (const [i, { userId, bearer }] of people.entries()) {
    const body = { user_id: userId, username: PAYER_NAMES[i] };
    const headers = { authorization: `Bearer ${bearer}` };
    await stage.florin.call('POST', '/api/v1/set_username', body, headers);
    // A slow signer makes the wallet a moment after the login.
    await until('everyone has a wallet', async () => {
      const { body: me } = await stage.florin.call('GET', '/api/v1/me', undefined, headers);
      if (me.wallet?.address) await chain.mint(me.wallet.address, '1000');
      return Boolean(me.wallet?.address);
    });
  }
  await chain.mineUntil(async () => {
    const rich = await stage.db.query('SELECT 1 FROM accounts WHERE user_id IS NOT NULL AND available >= 1000000000');
    if (rich.length < PEOPLE) throw new Error('the deposits have not arrived');
  });
  return people;
}
