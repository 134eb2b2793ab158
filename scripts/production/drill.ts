/**
 * `npm run drill`: production from nothing by the pages alone, in a fresh folder. Takes the commands from
 * docs/operating/install.md, secrets.md, backup.md and restore.md and runs them unchanged; only the blocks of values
 * are filled in. Then an operator drops a table: the database goes back to the moment before, and in the end everyone
 * must have their own money.
 *
 * Needs a package registry (the pages install packages), PostgreSQL with its programs, OpenSSL and bash. `-- --keep`
 * leaves the folder.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../sandbox/src/ports.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { randomAddress } from '../../test/support/chain/custody.ts';
import { readCommandLine } from '../readCommandLine.ts';
import { answerYes } from './drill/answerYes.ts';
import { openMoney } from './drill/openMoney.ts';
import { openShell } from './drill/openShell.ts';
import { type Block, namesIn, readPage } from './drill/readPage.ts';
import { startOutside } from './drill/startOutside.ts';

const { values: options } = readCommandLine('npm run drill -- [--keep]', { options: { keep: { type: 'boolean' } } });

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PATIENCE_MS = 120_000;
const startedMs = performance.now();
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - startedMs) / 1000)).padStart(4)} s  ${line}`);

const folder = mkdtempSync(join(tmpdir(), 'florin-drill-'));
chmodSync(folder, 0o755);
const place = (name: string) => join(folder, name);
copySources(place('source'));
const outside = await startOutside(folder);
const { chain, issuer, postgres } = outside;
const [web3, backend, ops, workerOps, signerOps] = await Promise.all(Array.from({ length: 5 }, () => findFreePort()));
const shell = openShell({
  functions: await answerYes(),
  folder,
  postgres: outside.account,
  opsPorts: { server: ops!, worker: workerOps!, signer: signerOps! },
  env: {
    PATH: `${postgres.bin}:${process.env.PATH}`,
    HOME: process.env.HOME,
    NODE_EXTRA_CA_CERTS: outside.authority,
    // Only where other processes of this machine may interfere; the environment takes precedence.
    FLORIN_HOST: '127.0.0.1',
    FLORIN_WEB3_PORT: String(web3),
    FLORIN_BACKEND_PORT: String(backend),
    FLORIN_OPS_PORT: String(ops),
    FLORIN_WORKER_OPS_PORT: String(workerOps),
    FLORIN_SIGNER_OPS_PORT: String(signerOps),
  },
});
const values: Record<string, string> = {
  SOURCE: place('source'),
  PROGRAMS: place('programs'),
  ETC: place('etc'),
  RUN: place('run'),
  ADMIN_URL: postgres.url,
  DATABASE: `127.0.0.1:${postgres.port}/florin`,
  HOST_NAME: 'localhost',
  ISSUERS: JSON.stringify([{ issuer: issuer.url, audience: 'florin' }]),
  CHAINS: JSON.stringify([{ blockchain: 'ETH-SEPOLIA', rpc_urls: [outside.nodeUrl] }]),
  DATA: postgres.data,
  ARCHIVE: join(dirname(postgres.data), 'archive'),
  BACKUPS: join(dirname(postgres.data), 'backups'),
  SEED_COPY: place('wallet-seed.json'),
};
const money = openMoney({
  chain,
  issuer,
  ports: { web3: web3!, backend: backend! },
  certFile: join(values.ETC!, 'cert.pem'),
  keyFile: join(values.ETC!, 'shop.key'),
});

let commands = 0;
/** The page's sections, with what happens outside before and after some of them. */
async function follow(
  page: string,
  around: Record<string, { before?(): Promise<void>; after?(): Promise<void> }> = {},
) {
  const sections = readPage(page);
  const unknown = Object.keys(around).filter((heading) => !sections.some((one) => one.heading === heading));
  if (unknown.length > 0) throw new Error(`${page} has no section ${unknown.join(', ')}`);
  for (const { heading, blocks } of sections) {
    await around[heading]?.before?.();
    for (const block of blocks) {
      await shell.run(block.kind === 'values' ? fillIn(page, block) : block);
      commands++;
    }
    if (blocks.length > 0) say(`${page}: ${heading}`);
    await around[heading]?.after?.();
  }
}

function fillIn(page: string, block: Block): Block {
  const lines = namesIn(block).map((name) => {
    if (values[name] === undefined) throw new Error(`${page} needs ${name}, which the drill does not know`);
    return `export ${name}='${values[name]}'\n`;
  });
  return { kind: 'values', text: lines.join('') };
}

const florin = (words: string, whenBad = '') =>
  shell.run({ kind: 'shell', text: `florin ${words} --env-file "$ETC/operator.env"${whenBad}\n` });
async function eventually<T>(what: string, check: () => Promise<T>): Promise<T> {
  for (const endsMs = performance.now() + PATIENCE_MS; ; await sleep(200)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > endsMs) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`, { cause: error });
      await chain.mine();
    }
  }
}
const withDatabase = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
  const db = openDatabase(`${postgres.url.replace(/postgres$/, '')}florin`, { maxConnections: 1 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
};
const readOwed = () =>
  withDatabase(async (db) => {
    const rows = await db.query<{ username: string; owed: bigint }>(
      `SELECT n.username, a.available + a.held AS owed FROM accounts a JOIN usernames n USING (user_id) ORDER BY 1`,
    );
    return rows.map(({ username, owed }) => `${username} ${owed}`).join(', ');
  });

async function drill(): Promise<string[]> {
  await follow('install', {
    Gas: {
      async after() {
        const [relayer] = JSON.parse(await florin('relayer fund-address --json')) as { address: string }[];
        const gift = JSON.stringify({ address: relayer!.address, eth: '10' });
        await fetch(`${chain.url}/faucet`, { method: 'POST', body: gift });
        await eventually('the relayer has gas', async () => {
          const [known] = JSON.parse(await florin('relayer list --json')) as { payments_left: number | null }[];
          if (!known?.payments_left) throw new Error('no gas');
        });
      },
    },
  });
  const wallets = { alice: await money.arrive('alice'), bob: await money.arrive('bob') };
  await chain.mint(wallets.alice, '100');
  await chain.mint(wallets.bob, '50');
  const owes = (wanted: string) => async () => {
    const owed = await readOwed();
    if (owed !== wanted) throw new Error(`${owed} instead of ${wanted}`);
  };
  await eventually('the deposits', owes('alice 100000000, bob 50000000'));
  await money.pay('alice', 'bob', '10', 'a1');
  const sent = new Map(['5', '2', '4', '1.5'].map((amount) => [amount, randomAddress() as string]));
  await money.complete(await money.send('alice', sent.get('5')!, '5', 'a2'));
  say('people have paid each other and addresses');

  await follow('secrets');
  await money.arrive('alice');
  await money.arrive('bob');
  await follow('backup');
  await eventually('PostgreSQL is back', () => money.pay('bob', 'alice', '3', 'b1'));
  await money.complete(await money.send('bob', sent.get('2')!, '2', 'b2'));
  values.RESTORE_TO = await withDatabase(async (db) => {
    const [row] = await db.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    return row!.now;
  });
  await sleep(1_000);
  const lost = {
    payment: await money.pay('alice', 'bob', '7', 'c1'),
    send: await money.send('alice', sent.get('4')!, '4', 'c2'),
    forgotten: await money.send('bob', sent.get('1.5')!, '1.5', 'c3'),
  };
  await money.complete(lost.send);
  await money.complete(lost.forgotten);
  await chain.mint(wallets.bob, '20');
  await eventually('the deposit', owes('alice 77000000, bob 80500000'));
  await withDatabase((db) => db.query('DROP TABLE payments CASCADE'));
  say('a table was dropped; more was paid since the restored moment');

  const faults: string[] = [];
  await follow('restore', {
    '1. Stop': { after: () => shell.end('server', 'worker', 'signer') },
    '5. Start signer, workers and servers': {
      async after() {
        for (const { blocks } of readPage('install'))
          for (const block of blocks.filter(({ kind }) => kind === 'process')) await shell.run(block);
        await eventually('the chain is read again', async () => {
          const books = await florin('books check', ' || true');
          if (!books.includes('1.5 USDC')) throw new Error(books);
        });
      },
    },
    '7. Let clients repeat their calls': {
      async after() {
        await money.arrive('alice');
        await money.arrive('bob');
        const again = {
          payment: await money.pay('alice', 'bob', '7', 'c1'),
          send: await money.send('alice', sent.get('4')!, '4', 'c2'),
        };
        if (again.payment !== lost.payment || again.send !== lost.send)
          faults.push('a repeated call is another payment');
      },
    },
    '9. Relayers': {
      before: () =>
        eventually('the nonces are final', async () => {
          const list = await florin('relayer list');
          if (/nonces|stopped/.test(list)) throw new Error(list);
        }),
    },
    '11. Compare': { before: () => eventually('nothing differs', () => florin('reconcile').then(() => {})) },
    '12. Resume sends': {
      async after() {
        if ((await florin('pause list')).includes('drift'))
          await florin('pause remove chain:ETH-SEPOLIA --cause drift');
      },
    },
  });

  await eventually('everyone has their own money', owes('alice 77000000, bob 80500000')).catch((error: Error) =>
    faults.push(`${error.message}: ${(error.cause as Error).message}`),
  );
  for (const [amount, address] of sent) {
    const found = await chain.balanceOf(address);
    if (found !== BigInt(Math.round(Number(amount) * 1e6))) faults.push(`${address} has ${found} instead of ${amount}`);
  }
  await money.pay('alice', 'bob', '1', 'd1');
  const last = randomAddress();
  await money.complete(await money.send('bob', last, '1', 'd2'));
  await eventually('nothing differs afterwards', () => florin('reconcile').then(() => {}));
  faults.push(...(await withDatabase(checkBooks)).faults);
  return faults;
}

/** Copies the files that a checkout would have: those that git tracks, and new ones that it does not ignore. */
function copySources(target: string): void {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of files.split('\n').filter(Boolean)) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(ROOT, file), join(target, file), { verbatimSymlinks: true });
  }
}

try {
  const faults = await drill();
  for (const fault of faults) say(`WRONG: ${fault}`);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(JSON.stringify({ drill: true, blocks: commands, faults: faults.length, seconds }));
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await shell.end('server', 'worker', 'signer');
  await outside.stop();
  if (options.keep) say(`everything is in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
