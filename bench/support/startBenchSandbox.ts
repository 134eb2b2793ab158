/** A fresh sandbox for a benchmark, with durable PostgreSQL: the whole system, like `npm start`. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findFreePort } from '../../sandbox/src/ports.ts';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import type { SandboxUser } from '../../sandbox/src/seedPeople.ts';
import type { SandboxState } from '../../sandbox/src/startSandbox.ts';

const PATIENCE_MS = 200_000;

type BenchPerson = Pick<SandboxUser, 'user_id' | 'username' | 'address' | 'wallet_id'>;

export interface BenchSandbox {
  readonly dataDir: string;
  readonly state: SandboxState;
  readonly db: pg.Client;
  /** People with usernames, whose coins have been credited. */
  createFunded(count: number, usdc: string): Promise<BenchPerson[]>;
  /** A switch of the home chain. */
  turn(path: string, body: unknown): Promise<Record<string, unknown>>;
  rpc<Result>(method: string, params: readonly unknown[]): Promise<Result>;
  stop(): Promise<void>;
}

let shared: BenchSandbox | undefined;

/** Settlement is due in a week, so that only the benchmark moves coins. No calls are kept: production keeps none. */
const startQuiet = (): Promise<BenchSandbox> =>
  startBenchSandbox({ FLORIN_SETTLE_SECONDS: '604800', FLORIN_CALLS_FILE: '' });

/** From now on every benchmark of this process uses this sandbox; the returned function stops it. */
export async function shareSandbox(): Promise<() => Promise<void>> {
  shared = await startQuiet();
  return shared.stop;
}

export async function withBenchSandbox(run: (sandbox: BenchSandbox) => Promise<void>): Promise<void> {
  const sandbox = shared ?? (await startQuiet());
  try {
    await run(sandbox);
  } finally {
    if (sandbox !== shared) await sandbox.stop();
  }
}

/** `args`: as for `npm start --`. */
export async function startBenchSandbox(
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<BenchSandbox> {
  const dataDir = mkdtempSync(join(tmpdir(), 'florin-bench-'));
  const [web3, backend, wallet, desk] = await Promise.all(Array.from({ length: 4 }, () => findFreePort()));
  const child = spawn(process.execPath, [...argumentsOf('sandbox/src/start'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      FLORIN_DATA_DIR: dataDir,
      FLORIN_WEB3_PORT: String(web3),
      FLORIN_BACKEND_PORT: String(backend),
      FLORIN_WALLET_PORT: String(wallet),
      FLORIN_CONSOLE_PORT: String(desk),
      ...env,
    },
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  let said = '';
  child.stdout.on('data', (text: Buffer) => {
    said += text;
  });
  child.stderr.on('data', (text: Buffer) => {
    said += text;
    process.stderr.write(text);
  });
  let db: pg.Client | undefined;
  const stop = async () => {
    await db?.end();
    child.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  const file = join(dataDir, 'sandbox.json');
  for (let waited = 0; !existsSync(file); waited += 100) {
    if (child.exitCode !== null || waited > PATIENCE_MS) {
      await stop();
      throw new Error(`the sandbox did not start:\n${said}`);
    }
    await sleep(100);
  }
  const state = JSON.parse(readFileSync(file, 'utf8')) as SandboxState;
  db = new pg.Client({ connectionString: state.database_url });
  await db.connect();
  // Scripts and tests operate with this login.
  await db.query(`INSERT INTO operators (name, role) VALUES (session_user, 'admin') ON CONFLICT DO NOTHING`);
  return { dataDir, stop, ...connectTo(state, db) };
}

function connectTo(state: SandboxState, db: pg.Client): Omit<BenchSandbox, 'dataDir' | 'stop'> {
  const rpcUrl = state.chains[0]!.rpc_url;
  let crowds = 0;
  const turn = (path: string, body: unknown) => post(rpcUrl + path, body);

  async function createPerson(username: string): Promise<BenchPerson> {
    const logIn = async () => {
      const token = await fetch(`${state.issuer_url}/id_token?email=${username}@bench.example`);
      return (await post(`${state.backend_url}/api/v1/login`, { id_token: await token.text() })) as {
        user: { user_id: string };
        wallet: { wallet_id: string; address: string | null };
      };
    };
    const { user_id } = (await logIn()).user;
    await post(`${state.backend_url}/api/v1/set_username`, { user_id, username });
    // On a busy machine the signer may need longer than a login waits for it; a later login has the address.
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(100)) {
      const { wallet_id, address } = (await logIn()).wallet;
      if (address !== null) return { user_id, username, wallet_id, address };
      if (Date.now() > until) throw new Error(`${username} has no wallet`);
    }
  }

  return {
    state,
    db,
    turn,
    async rpc<Result>(method: string, params: readonly unknown[]) {
      return (await turn('/', { jsonrpc: '2.0', id: 1, method, params })).result as Result;
    },
    async createFunded(count, usdc) {
      const people: BenchPerson[] = [];
      const counted = `FROM accounts WHERE kind = 'user' AND entries > 0`;
      const { others } = (await db.query<{ others: number }>(`SELECT count(*)::int AS others ${counted}`)).rows[0]!;
      const crowd = ++crowds;
      await forEachAtOnce(Array.from({ length: count }), 8, async (_, nth) => {
        const person = await createPerson(`bench${crowd}_${String(nth).padStart(3, '0')}_person`);
        await turn('/faucet', { address: person.address, usdc });
        people.push(person);
      });
      await turn('/mine', { blocks: 5 });
      await waitFor(db, `SELECT count(*) >= ${count + others} AS done ${counted}`, 60_000);
      // Whoever is not verified may pay only 250 USDC per day.
      const ids = people.map(({ user_id }) => user_id);
      await db.query(`UPDATE users SET kyc_status = 'approved' WHERE user_id = ANY ($1)`, [ids]);
      return people;
    },
  };
}

export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const json = (await answer.json()) as Record<string, unknown>;
  if (!answer.ok) throw new Error(`${new URL(url).pathname} answered ${answer.status}: ${JSON.stringify(json)}`);
  return json;
}

/** Runs `work` for all items, at most `atOnce` at a time. */
export async function forEachAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, nth: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const runNext = async () => {
    while (next < items.length) {
      const nth = next++;
      await work(items[nth]!, nth);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
}

/** Polls until `done` is true. */
export async function waitFor(db: pg.Client, question: string, timeoutMs: number): Promise<void> {
  for (const until = Date.now() + timeoutMs; ; await sleep(100)) {
    const { rows } = await db.query<{ done: boolean }>(question);
    if (rows[0]?.done) return;
    if (Date.now() > until) throw new Error(`still not true: ${question}`);
  }
}
