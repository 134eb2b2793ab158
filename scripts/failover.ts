/**
 * `npm run failover`: Florin in production mode (two servers, a worker, a signer, a chain) on three PostgreSQL servers under
 * Patroni, with the configuration of `deploy/ha/`. People pay each other and addresses without a pause while one fault comes
 * after the other; nothing is restarted by hand but what a fault has killed. Prints a table and, last, one JSON line. Fails
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
  /** Shown apart: known to lose payments with the Patroni that Debian 12 has. */
  readonly isApart?: boolean;
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
  {
    name: 'only PostgreSQL of the primary frozen for 38 s',
    isApart: true,
    async run(cluster) {
      const thaw = (await cluster.findPrimary()).freeze('postgres');
      await sleep(38_000);
      thaw();
    },
  },
];

interface Row extends Answered {
  readonly name: string;
  readonly isApart: boolean;
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
  const paying = startPayers(servers, payers);
  const rows: Row[] = [];
  const all: Answered[] = [];
  for (const fault of isAsynchronous ? [KILL] : FAULTS) {
    console.log(`${new Date().toISOString().slice(11, 19)}  ${fault.name}`);
    await sleep(CALM_MS);
    all.push(paying.take());
    await fault.run(cluster);
    await cluster.heal();
    await sleep(CALM_MS);
    const answered = paying.take();
    all.push(answered);
    rows.push({
      ...answered,
      name: fault.name,
      isApart: fault.isApart ?? false,
      lost: await countLost(db, answered.payments),
    });
  }
  all.push(await paying.stop());
  clearInterval(mining);
  await report(florin, db, rows, all);
}

async function countLost(db: Db, ids: readonly string[]): Promise<number> {
  const found = await db.query(`SELECT 1 FROM find_transfers($1) t WHERE t.kind = 'user'`, [ids]);
  return ids.length - found.length;
}

async function report(florin: Production, db: Db, rows: readonly Row[], all: readonly Answered[]): Promise<void> {
  const payments = all.flatMap((one) => one.payments);
  const sends = all.flatMap((one) => one.sends);
  const [made] = await db.query<{ count: bigint }>(`SELECT count(*) FROM transfers WHERE kind = 'user'`);
  const lost = await countLost(db, payments);
  // Every wish was insisted on until it was answered, so whatever else is there was made twice.
  const doubled = Number(made!.count) - (new Set(payments).size - lost);
  await chain.mineUntil(async () => {
    const [open] = await db.query<{ count: bigint }>(
      `SELECT count(*) FROM payments WHERE payment_id = ANY ($1) AND NOT payment_is_final(state)`,
      [sends],
    );
    if (open!.count > 0n) throw new Error('sends are under way');
  });
  const [sent] = await db.query<{ complete: bigint; known: bigint }>(
    `SELECT count(*) FILTER (WHERE state = 'COMPLETE') AS complete, count(*) AS known FROM payments WHERE payment_id = ANY ($1)`,
    [sends],
  );
  const { faults } = await checkBooks(db);
  console.log(
    `\n${cluster.version}, lease ${cluster.ttl} s, ${isAsynchronous ? 'asynchronous' : 'synchronous'} standbys`,
  );
  console.log(`${'fault'.padEnd(50)}  answered   lost   longest gap   errors`);
  for (const { name, payments: done, lost: gone, longestGapMs, errors } of rows) {
    const cells = [
      String(done.length).padStart(8),
      String(gone).padStart(6),
      `${(longestGapMs / 1000).toFixed(1)} s`.padStart(13),
    ];
    console.log(
      `${name.padEnd(50)}  ${cells.join(' ')}   ${[...errors].map(([code, count]) => `${code}: ${count}`).join(', ') || 'none'}`,
    );
  }
  const counted = rows.filter(({ isApart }) => !isApart);
  const longest = Math.max(...counted.map(({ longestGapMs }) => longestGapMs)) / 1000;
  const apart = rows.filter(({ isApart }) => isApart).reduce((sum, row) => sum + row.lost, 0);
  const ended = florin.listDead();
  const result = {
    acknowledged: payments.length,
    lost: lost - apart,
    lost_apart: apart,
    doubled,
    sends: sends.length,
    sends_complete: Number(sent!.complete),
    sends_lost: sends.length - Number(sent!.known),
    longest_gap_s: Math.round(longest * 10) / 10,
    books: faults.length === 0 ? 'balance' : faults.slice(0, 3),
    ended,
  };
  console.log(JSON.stringify({ failover: true, synchronous: !isAsynchronous, ...result }));
  const isLong = longest > cluster.ttl + 10;
  if (isAsynchronous) {
    console.log(`A cluster like this one is not certified: ${lost} payments that were answered are gone.`);
    process.exitCode = 1;
  } else if (
    result.lost > 0 ||
    doubled > 0 ||
    result.sends_lost > 0 ||
    faults.length > 0 ||
    isLong ||
    ended.length > 0
  ) {
    process.exitCode = 1;
  }
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
