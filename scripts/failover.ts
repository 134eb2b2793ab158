/**
 * `npm run failover`: Florin in production mode (two servers, a worker, a signer, a chain) on three PostgreSQL servers under
 * Patroni, with the configuration of `deploy/ha/`. People pay each other and addresses without a pause while one fault comes
 * after the other; nothing is restarted by hand but what a fault has killed. Prints a table and one JSON line. Fails
 * when a payment that was answered is lost, or one was made twice, or the gap was too long.
 *
 * `-- --asynchronous` shows why it refuses to certify a cluster whose standbys confirm no commits.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDatabase } from '../server/src/db/database.ts';
import { findLosses, readDurability } from '../server/src/db/durability.ts';
import { checkBooks } from '../server/src/ledger/checkBooks.ts';
import { SEPOLIA_ID, startTestChain, type TestChain } from '../test/support/chain/chain.ts';
import { type Answered, type Payer, startPayers } from '../test/support/failover/payers.ts';
import { type Cluster, findMissingTools, startCluster, until } from '../test/support/failover/startCluster.ts';
import { operate } from '../test/support/operate.ts';
import { type Production, startProduction } from '../test/support/production.ts';
import { useTestPostgresOf } from '../test/support/startTestPostgres.ts';

const PEOPLE = 10;
/** Before the next fault, and after the cluster is whole again. */
const CALM_MS = 8_000;

interface Fault {
  readonly name: string;
  run(cluster: Cluster): Promise<void>;
}

const KILL: Fault = {
  name: 'kill -9 of the primary and its Patroni',
  async run(cluster) {
    const node = await cluster.findPrimary();
    node.kill();
    await until('another primary', async () => (await cluster.findPrimary().catch(() => node)) !== node);
    node.start();
  },
};

const FAULTS: readonly Fault[] = [
  { name: 'switchover', run: (cluster) => cluster.switchOver() },
  KILL,
  {
    name: 'the whole node of the primary frozen for 38 s',
    async run(cluster) {
      const thaw = (await cluster.findPrimary()).freeze('node');
      await sleep(38_000);
      thaw();
    },
  },
  {
    name: 'all of etcd killed for 35 s',
    async run(cluster) {
      await cluster.stopEtcd();
      await sleep(35_000);
      cluster.startEtcd();
    },
  },
  {
    name: 'both standbys frozen for 25 s',
    async run(cluster) {
      const primary = await cluster.findPrimary();
      const thaws = cluster.nodes.filter((node) => node !== primary).map((node) => node.freeze('postgres'));
      await sleep(25_000);
      for (const thaw of thaws) thaw();
    },
  },
];

/** Shown apart, after all others were judged: with the Patroni that Debian 12 has (3.0.2) it leaves two primaries. */
const FROZEN: Fault = {
  name: 'only PostgreSQL of the primary frozen for 38 s',
  async run(cluster) {
    const thaw = (await cluster.findPrimary()).freeze('postgres');
    await sleep(38_000);
    thaw();
  },
};

interface Row extends Answered {
  readonly name: string;
  readonly lost: number;
}

const isAsynchronous = process.argv.includes('--asynchronous');
const missing = findMissingTools();
if (missing.length > 0) throw new Error(`needs programs that are not here: apt-get install ${missing.join(' ')}`);
const cluster = await startCluster({ synchronous: !isAsynchronous });
const chain = await startTestChain(SEPOLIA_ID);
try {
  await useTestPostgresOf(await cluster.adminUrl());
  const florin = await startProduction(
    { FLORIN_LOG_LEVEL: 'error', FLORIN_RATE_LIMITS: 'address=1000000, login=1000, user=1000000, key=1000000, kyc=10' },
    { chain, reach: async (url) => cluster.withAllHosts(url) },
  );
  const db = openDatabase(cluster.withAllHosts(florin.databaseUrl), {
    patienceMs: 120_000,
    statementTimeoutMs: 120_000,
  });
  try {
    await certify(db);
    await run(florin, db);
  } finally {
    await db.close();
    process.env.FLORIN_TEST_DATABASE_URL = await cluster.adminUrl();
    await florin.stop();
  }
} finally {
  await chain.stop();
  await cluster.stop();
}

/** Said before anything is measured, as a server says it. */
async function certify(db: Db): Promise<void> {
  const losses = findLosses(await readDurability(db));
  for (const loss of losses) console.log(`Not certified: ${loss}`);
  if (losses.length > 0 && !isAsynchronous) throw new Error('this cluster could lose what it has answered');
}

async function run(florin: Production, db: Db): Promise<void> {
  const second = await florin.startAnother();
  const payers = await settle(florin, chain, db);
  const rights = ['--scope', 'read', '--scope', 'send', '--any-wallet'];
  const serviceKey = /fsk_\S+/.exec(await operate(db, 'key', 'create', 'failover', ...rights))![0];
  const servers = {
    backendUrls: [florin.backendUrl, second.backend_url],
    web3Urls: [florin.web3Url, second.web3_url],
    serviceKey,
  };
  const mining = setInterval(() => void chain.mine().catch(() => {}), 1_000);
  if (!isAsynchronous) {
    const paying = startPayers(servers, payers);
    const rows: Row[] = [];
    for (const fault of FAULTS) rows.push(await measure(db, paying, fault));
    rows.push({ ...(await paying.stop()), name: 'afterwards', lost: 0 });
    await judge(florin, db, rows);
  }
  // What may lose payments comes last: the service notices, ends the sessions and pauses sends, as after a restore.
  const lossy = isAsynchronous ? KILL : FROZEN;
  const paying = startPayers({ ...servers, web3Urls: [] }, payers);
  const row = await measure(db, paying, lossy);
  paying.leave();
  clearInterval(mining);
  console.log(`\nShown apart (${cluster.version}, ${isAsynchronous ? 'asynchronous' : 'synchronous'} standbys):`);
  printRows([row]);
  if (isAsynchronous) {
    console.log(
      JSON.stringify({ failover: true, synchronous: false, acknowledged: row.payments.length, lost: row.lost }),
    );
    process.exitCode = 1;
  }
}

/** All that is answered from shortly before the fault until shortly after the cluster is whole again. */
async function measure(db: Db, paying: ReturnType<typeof startPayers>, fault: Fault): Promise<Row> {
  console.log(`${new Date().toISOString().slice(11, 19)}  ${fault.name}`);
  await sleep(CALM_MS);
  await fault.run(cluster);
  await cluster.heal();
  await sleep(CALM_MS);
  const answered = paying.take();
  return { ...answered, name: fault.name, lost: await countLost(db, answered.payments) };
}

async function countLost(db: Db, ids: readonly string[]): Promise<number> {
  const found = await db.query(`SELECT 1 FROM find_transfers($1) t WHERE t.kind = 'user'`, [ids]);
  return ids.length - found.length;
}

function printRows(rows: readonly Row[]): void {
  console.log(`${'fault'.padEnd(50)}  answered   lost   longest gap   errors`);
  for (const { name, payments, lost, longestGapMs, errors } of rows) {
    const gap = `${(longestGapMs / 1000).toFixed(1)} s`;
    const cells = [String(payments.length).padStart(8), String(lost).padStart(6), gap.padStart(13)];
    const codes = [...errors].map(([code, count]) => `${code}: ${count}`).join(', ');
    console.log(`${name.padEnd(50)}  ${cells.join(' ')}   ${codes || 'none'}`);
  }
}

async function judge(florin: Production, db: Db, rows: readonly Row[]): Promise<void> {
  const payments = rows.flatMap((one) => one.payments);
  const sends = rows.flatMap((one) => one.sends);
  const [made] = await db.query<{ count: bigint }>(`SELECT count(*) FROM transfers WHERE kind = 'user'`);
  const lost = await countLost(db, payments);
  await chain.mineUntil(async () => {
    const open = await db.query('SELECT 1 FROM payments WHERE payment_id = ANY ($1) AND NOT payment_is_final(state)', [
      sends,
    ]);
    if (open.length > 0) throw new Error('sends are under way');
  });
  const [sent] = await db.query<{ complete: bigint; known: bigint }>(
    `SELECT count(*) FILTER (WHERE state = 'COMPLETE') AS complete, count(*) AS known
       FROM payments WHERE payment_id = ANY ($1)`,
    [sends],
  );
  const { faults } = await checkBooks(db);
  console.log(`\n${cluster.version}, lease ${cluster.ttl} s, synchronous standbys`);
  printRows(rows);
  const longest = Math.max(...rows.map(({ longestGapMs }) => longestGapMs)) / 1000;
  const result = {
    acknowledged: payments.length,
    lost,
    // Every wish was insisted on until it was answered, so whatever else is there was made twice.
    doubled: Number(made!.count) - (new Set(payments).size - lost),
    sends: sends.length,
    sends_complete: Number(sent!.complete),
    sends_lost: sends.length - Number(sent!.known),
    longest_gap_s: Math.round(longest * 10) / 10,
    books: faults.length === 0 ? 'balance' : faults.slice(0, 3),
    ended: florin.listDead(),
  };
  console.log(JSON.stringify({ failover: true, synchronous: true, ...result }));
  const isWrong = lost > 0 || result.doubled > 0 || result.sends_lost > 0 || faults.length > 0;
  if (isWrong || longest > cluster.ttl + 10 || result.ended.length > 0) process.exitCode = 1;
}

/** People who are logged in and have money. */
async function settle(florin: Production, chain: TestChain, db: Db): Promise<Payer[]> {
  const names = Array.from({ length: PEOPLE }, (_, i) => `payer_${'abcdefghjkmnpqrstuvw'[i]}`);
  const people: { readonly userId: string; readonly bearer: string }[] = [];
  for (const name of names) {
    const idToken = await florin.issuer.sign({ sub: name, email: `${name}@example.com`, email_verified: true });
    const session = (await florin.call('POST', '/api/v1/login', { id_token: idToken })).body;
    const bearer = session.access_token as string;
    const userId = session.user.user_id as string;
    await florin.call(
      'POST',
      '/api/v1/set_username',
      { user_id: userId, username: name },
      { authorization: `Bearer ${bearer}` },
    );
    await chain.mint(session.wallet.address, '1000');
    people.push({ userId, bearer });
  }
  await chain.mineUntil(async () => {
    const rich = await db.query('SELECT 1 FROM accounts WHERE user_id IS NOT NULL AND available >= 1000000000');
    if (rich.length < PEOPLE) throw new Error('the deposits have not arrived');
  });
  return people.map((person, i) => ({ ...person, pays: names[(i + 1) % PEOPLE]! }));
}
