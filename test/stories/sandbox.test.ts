/** `npm start`: the real command, in its own folder and on its own ports. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort, isPortFree } from '../../sandbox/src/ports.ts';
import { argumentsOf, isAlive } from '../../sandbox/src/processes.ts';
import { readOptions } from '../../sandbox/src/readOptions.ts';
import type { SandboxState } from '../../sandbox/src/startSandbox.ts';
import { turnEverySwitch } from '../support/chain/turnEverySwitch.ts';
import { eventually } from '../support/eventually.ts';
import { fetchChecked } from '../support/http/fetchChecked.ts';
import { listExamples, openStream, type ServedDocument } from '../support/http/listExamples.ts';

const root = resolve(import.meta.dirname, '../..');
const isRoot = process.getuid?.() === 0;
let folder: string;
let dataDir: string;
let env: Record<string, string>;

interface Started {
  readonly child: ChildProcess;
  output(): string;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
}
const running = new Set<Started>();

interface Options {
  readonly args?: string[];
  readonly env?: Record<string, string>;
  readonly asNobody?: boolean;
  /** `npm start` itself; otherwise the tests' build, which starts several times faster. */
  readonly withNpm?: boolean;
  /** In a shell that does not forward signals, as npm may use one. */
  readonly inShell?: boolean;
}

function chooseCommand({ withNpm, inShell, args = [] }: Options): [string, string[]] {
  if (withNpm) return ['npm', ['start', '--', ...args]];
  const program = [...argumentsOf('sandbox/src/start'), ...args];
  if (!inShell) return [process.execPath, program];
  return ['sh', ['-c', `'${[process.execPath, ...program].join("' '")}'; exit $?`]];
}

function start(options: Options = {}): Started {
  const { FLORIN_TEST_DATABASE_URL: _, FLORIN_BUILT_PROGRAMS: built, ...rest } = process.env;
  const inherited = {
    ...rest,
    ...(built && !options.withNpm && { FLORIN_BUILT_PROGRAMS: built }),
    npm_lifecycle_event: options.inShell ? 'start' : '',
  };
  const child = spawn(...chooseCommand(options), {
    cwd: root,
    env: { ...inherited, NODE_ENV: 'test', ...env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.asNobody && { uid: 65_534, gid: 65_534 }),
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk;
    });
  }
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const started = { child, output: () => text, ended };
  running.add(started);
  ended.then(() => running.delete(started));
  return started;
}

/** The one that an earlier test left running, or a new one. */
const getRunning = async (): Promise<Started> => [...running][0] ?? startAndWait();

async function startAndWait(options: Options = {}): Promise<Started> {
  const started = start(options);
  const ready = eventually(() => expect(started.output()).toContain('sandbox is ready'));
  await Promise.race([ready, started.ended.then(() => Promise.reject(new Error(started.output())))]);
  return started;
}

async function stop(started: Started, signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
  started.child.kill(signal);
  return started.ended;
}

const expectNothingLeft = (state: SandboxState) => {
  expect(findAlive(state)).toEqual([]);
  expect(existsSync(join(dataDir, 'sandbox.json'))).toBe(false);
};

const findAlive = ({ pids }: SandboxState) => Object.values(pids).filter((pid) => pid !== null && isAlive(pid));

const readState = () => JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as SandboxState;

async function findUsernames(): Promise<string[]> {
  const client = new pg.Client({ connectionString: readState().database_url });
  await client.connect();
  try {
    return (await client.query('SELECT username FROM usernames ORDER BY username')).rows.map((row) => row.username);
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'florin-sandbox-'));
  chmodSync(folder, 0o711);
  dataDir = join(folder, 'data');
  const ports = [await findFreePort(), await findFreePort(), await findFreePort(), await findFreePort()];
  env = {
    FLORIN_DATA_DIR: dataDir,
    FLORIN_WEB3_PORT: String(ports[0]),
    FLORIN_BACKEND_PORT: String(ports[1]),
    FLORIN_WALLET_PORT: String(ports[2]),
    FLORIN_CONSOLE_PORT: String(ports[3]),
  };
});

afterAll(async () => {
  await Promise.all([...running].map((started) => stop(started)));
  rmSync(folder, { recursive: true, force: true });
});

describe('a sandbox', () => {
  it('is ready with its people, and refuses a second one', async () => {
    const first = await startAndWait({ withNpm: true });
    const state = readState();
    expect(first.output()).toMatch(/Starting PostgreSQL …\n[\s\S]*PostgreSQL on port/);
    expect(first.output()).toMatch(/Logging 5 people in …\n[\s\S]*5 people got 1000 USDC each, deposited on chain\n/);
    expect(statSync(join(dataDir, 'sandbox.json')).mode & 0o777).toBe(0o600);
    expect(Object.keys(state).sort()).toEqual(
      ['backend_url', 'chains', 'circle_url', 'console_url', 'database_url', 'issuer_url', 'kyc_url', 'ops_url', 'pids', 'treasury', 'users', 'wallet_url', 'web3_url'], // biome-ignore format: one list
    );
    expect(state.users.map((user) => user.username)).toEqual(['alice', 'bob', 'carol', 'coffee_shop', 'erin']);
    for (const user of state.users) {
      expect(user).toEqual({
        user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        username: expect.any(String),
        email: `${user.username}@florin.example`,
        address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        wallet_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        id_token: expect.stringMatching(/^eyJ/),
        access_token: expect.any(String),
      });
    }
    expect(state.treasury).toEqual({ wallet_id: expect.any(String), address: expect.stringMatching(/^0x/) });
    expect((await fetch(`${state.ops_url}/readyz`)).status).toBe(200);
    for (const copied of [state.web3_url, `${state.backend_url}/api/v1/send_usdc`, `${state.issuer_url}/id_token`]) {
      expect(first.output()).toContain(copied);
    }
    expect(first.output()).not.toContain(new URL(state.database_url).password);
    // Decided on the provider's local page, and received by webhook.
    expect(await (await fetch(state.kyc_url)).text()).toContain('erin');
    const statusOf = async (name: string) => {
      const answer = await fetchChecked(`${state.backend_url}/api/v1/kyc/status/${name}@florin.example`);
      return ((await answer.json()) as { status: string }).status;
    };
    expect([await statusOf('alice'), await statusOf('erin')]).toEqual(['approved', 'pending']);

    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`already runs in ${dataDir} (pid ${state.pids.main}; Web3 API ${state.web3_url}`);
    const emptied = start({ args: ['--fresh'] });
    expect(await emptied.ended).toBe(1);
    expect(emptied.output()).toContain('already runs');
  });

  it('prints a first payment that pays once however often it is pasted, and no line that a terminal would wrap', async () => {
    const started = await getRunning();
    const output = started.output();
    const [, key, body] = /-H 'Idempotency-Key: ([^']+)' \\\n +-d '([^']+)'/.exec(output) ?? [];
    const paste = () =>
      fetchChecked(`${readState().backend_url}/api/v1/send_usdc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key! },
        body: body!,
      });
    const [once, again] = [await paste(), await paste()];
    expect([once.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(await once.json()).toMatchObject({ state: 'COMPLETE', available: '998.5' });
    expect(await again.json()).toMatchObject({ state: 'COMPLETE', available: '998.5' });
    const long = output
      .slice(output.indexOf('sandbox is ready'))
      .split('\n')
      .filter((line) => line.length > 80);
    // The folder of this test has a long name.
    expect(long.filter((line) => !line.includes(folder))).toEqual([]);
  });

  it('shows examples in its documents that work unchanged', async () => {
    await getRunning();
    const { web3_url, backend_url, users } = readState();
    const answers: Record<string, number> = {};
    for (const url of [web3_url, backend_url]) {
      const document = (await (await fetch(`${url}/openapi.json`)).json()) as ServedDocument;
      expect(document.servers[0]!.url).toBe(url);
      for (const [operationId, ask] of listExamples(document, users[0]!.access_token))
        answers[operationId] =
          operationId === 'stream_events'
            ? await openStream(url + ask.path, ask.init)
            : (await fetchChecked(url + ask.path, ask.init)).status;
    }
    const refused = Object.entries(answers).filter(([, status]) => status !== 200);
    expect(refused).toEqual([
      // No one has created a key.
      ['revoke_account_key', 404],
      // No one has a passkey, or a device that creates one.
      ['add_passkey', 404],
      ['create_passkey_challenge', 409],
      ['prove_passkey', 404],
      ['set_passkey_rule', 409],
      ['remove_passkey', 404],
      // The example is a deposit, which cannot be cancelled.
      ['cancel_transaction', 409],
      // No one has requested money yet.
      ['get_request', 404],
      ['pay_request', 404],
      ['decline_request', 404],
      ['cancel_request', 404],
      // There is money in the account.
      ['close_account', 409],
      ['find_public_request', 404],
      // These take a service key, which no document shows.
      ...Object.keys(answers).flatMap((id) => (/webhook|payout/.test(id) ? [[id, 401]] : [])),
      // An earlier example has ended all sessions.
      ['revoke_session', 401],
    ]);
    expect(Object.keys(answers).length).toBeGreaterThan(12);
  });

  it('lets people pay more when their identity check has passed', async () => {
    await getRunning();
    const { backend_url, kyc_url, users } = readState();
    const user_id = users.find(({ username }) => username === 'erin')!.user_id;
    const ask = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const asked = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await fetchChecked(`${backend_url}/api/v1/${path}`, asked)).json()) as Record<string, string>;
    };
    const pay = async (amount: number) => {
      const { state, code } = await ask('send_usdc', { sender_user_id: user_id, receiver_username: 'carol', amount });
      return state ?? code;
    };
    // 100 USDC per payment, and 250 per day.
    const paid = [await pay(100.000001), await pay(100), await pay(100), await pay(100)];
    expect(paid).toEqual(['limit.exceeded', 'COMPLETE', 'COMPLETE', 'limit.exceeded']);
    const { applicant_id } = await ask('kyc/applicant', { user_id });
    const decision = new URLSearchParams({ applicant: applicant_id!, decision: 'approve' });
    await fetch(kyc_url, { method: 'POST', body: decision, redirect: 'manual' });
    await eventually(async () => expect(await pay(300)).toBe('COMPLETE'));
  });

  it('continues after kill -9, with its data, the same people and the same URLs', async () => {
    const first = await getRunning();
    const before = readState();
    const switched = await turnEverySwitch(before);
    first.child.kill('SIGKILL');
    await first.ended;
    const next = await startAndWait();
    expect(next.output()).toContain('Everyone was already funded');
    expect(next.output()).toMatch(/bob +[0-9a-f-]{36} +100[1-9](\.\d+)? USDC/);
    const after = readState();
    const known = ({ users }: SandboxState) => users.map(({ user_id, address }) => ({ user_id, address }));
    expect(known(after)).toEqual(known(before));
    const urls = ({ issuer_url, kyc_url, database_url }: SandboxState) => [issuer_url, kyc_url, database_url];
    expect(urls(after)).toEqual(urls(before));
    const [alice] = after.users;
    const check = await fetchChecked(`${after.backend_url}/api/v1/kyc/check-status/${alice!.user_id}`, {
      method: 'POST',
    });
    expect(await check.json()).toMatchObject({ status: 'approved', stale: false });
    expect(after.treasury).toEqual(before.treasury);
    await switched.expectSame();
    // A token from before the kill still logs in: the issuer kept its key and its address.
    const login = await fetchChecked(`${after.backend_url}/api/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id_token: before.users[0]!.id_token }),
    });
    expect(login.status).toBe(200);
  });

  it('restarts a killed API and a killed PostgreSQL by itself', async () => {
    const started = await getRunning();
    const { pids, ops_url } = readState();
    const isReady = async () => expect((await fetch(`${ops_url}/readyz`)).status).toBe(200);

    process.kill(pids.server, 'SIGKILL');
    await eventually(() => expect(readState().pids.server).not.toBe(pids.server));
    await isReady();
    expect(started.output()).toContain('The API ended unexpectedly (SIGKILL)');

    process.kill(pids.postgres!, 'SIGKILL');
    await eventually(() => expect(readState().pids.postgres).not.toBe(pids.postgres));
    await eventually(isReady);
  });

  it('leaves nothing when it is stopped, and --fresh empties it', async () => {
    const first = await getRunning();
    const { backend_url, issuer_url, users } = readState();
    const idToken = await (await fetch(`${issuer_url}/id_token?email=dave@example.com`)).text();
    const post = async (path: string, body: unknown) =>
      (await fetchChecked(`${backend_url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then((response) => response.json())) as { user: { user_id: string } };
    const { user } = await post('/api/v1/login', { id_token: idToken });
    await post('/api/v1/set_username', { user_id: user.user_id, username: 'dave' });
    expect(await findUsernames()).toContain('dave');
    const before = readState();
    expect(await stop(first, 'SIGTERM')).toBe(0);
    expectNothingLeft(before);
    expect(await Promise.all([before.web3_url, before.backend_url].map((one) => isPortFree(Number(new URL(one).port))))).toEqual([true, true]); // biome-ignore format: one fact

    const fresh = await startAndWait({ args: ['--fresh'], inShell: true });
    expect(await findUsernames()).toEqual(['alice', 'bob', 'carol', 'coffee_shop', 'erin']);
    const state = readState();
    expect(state.users[0]!.user_id).not.toBe(users[0]!.user_id);
    // Only the shell gets the signal, as when a terminal is closed.
    await stop(fresh, 'SIGHUP');
    expectNothingLeft(state);
  });

  it('stops immediately when it is stopped while starting', async () => {
    const started = start();
    await eventually(() => expect(started.output()).toContain('PostgreSQL on port'));
    const pid = Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
    expect(await stop(started, 'SIGHUP')).toBe(0);
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(dataDir, 'lock'))).toBe(false);
  });
});

describe('it prints a clear message instead of starting', () => {
  it('when a port is taken', async () => {
    const thief = createServer();
    const port = await findFreePort();
    await new Promise<void>((done) => thief.listen(port, '127.0.0.1', done));
    try {
      const started = start({ env: { FLORIN_BACKEND_PORT: String(port) } });
      expect(await started.ended).toBe(1);
      expect(started.output()).toMatch(
        new RegExp(`Port ${port} \\(Backend API\\) is taken .* choose another: FLORIN_BACKEND_PORT=\\d+ npm start`),
      );
    } finally {
      thief.close();
    }
  });

  it('when the folder cannot be written', async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o555 });
    const started = start({ env: { FLORIN_DATA_DIR: join(closed, 'data') }, asNobody: isRoot });
    expect(await started.ended).toBe(1);
    expect(started.output()).toContain(`The folder ${join(closed, 'data')} cannot be written.`);
    expect(started.output()).not.toContain('    at ');
  });

  it('for an option that it does not have', async () => {
    const started = start({ args: ['--frsh'] });
    expect(await started.ended).toBe(1);
    expect(started.output()).toBe('\nThere is no option --frsh. See npm start -- --help\n');
  });

  it.each([
    ['an invalid port', [], { FLORIN_WEB3_PORT: 'http' }, 'FLORIN_WEB3_PORT must be a port'],
    ['two equal ports', [], { FLORIN_WEB3_PORT: '9001', FLORIN_BACKEND_PORT: '9001' }, 'four different ports'],
    [
      'an unknown holder of keys',
      ['--wallets', 'paper'],
      {},
      '--wallets must be local, circle or circle_send, not "paper"',
    ],
    ['no holder of keys', ['--fresh', '--wallets'], {}, '--wallets must be local, circle or circle_send'],
    ['production', [], { FLORIN_MODE: 'production' }, 'does not start in production'],
    ['an invalid database URL', [], { DATABASE_URL: 'mysql://root:hunter2@x' }, 'DATABASE_URL is not a URL'],
    ['--fresh with a database of yours', ['--fresh'], { DATABASE_URL: 'postgres://u:p@x/mine' }, '(mine): empty it'],
  ])('for %s', (_, args, changes, sentence) => {
    expect(() => readOptions(args, changes)).toThrow(sentence);
    expect(() => readOptions(args, changes)).not.toThrow('hunter2');
  });

  it('when the data folder is a file', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const started = start({ env: { FLORIN_DATA_DIR: file } });
    expect(await started.ended).toBe(1);
    expect(started.output()).toContain(`${file} is not a folder`);
  });
});
