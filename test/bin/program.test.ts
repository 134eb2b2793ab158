/** The built program as a process: what it prints and where, how it exits, and what it reads. */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import { createSeedFile } from '../../server/src/adapters/wallets/local/seedFile.ts';
import { describeFault } from '../../server/src/bin/program/describeFault.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { operate } from '../support/operate.ts';

const FLORIN = argumentsOf('server/src/bin/florin');
const SECRET = 'k3v9Qz7LmX2bT8wRfY5cJn1HsG6dPaE4uV0o';

let database: TestDatabase;
let db: Db;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.urlOf('operator'), { maxConnections: 2 });
  folder = await mkdtemp(join(tmpdir(), 'florin-program-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await db.close();
  await database.drop();
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Nothing from this test's environment, and no sandbox above its working directory. */
const run = (args: readonly string[], env: Record<string, string> = {}, cwd = folder): Promise<Ended> =>
  new Promise((done) => {
    execFile(
      process.execPath,
      [...FLORIN, ...args],
      { cwd, env: { PATH: process.env.PATH!, ...env } },
      (error, out, err) => done({ code: error ? ((error as { code?: number }).code ?? null) : 0, out, err }),
    );
  });

const asOperator = () => ({ DATABASE_URL: database.urlOf('operator') });

describe('an exit code', () => {
  const stranger = '3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a27';
  it.each<[number, string, string[], RegExp]>([
    [0, 'success', ['pause', 'list'], /^$/],
    [2, 'a wrong command line', ['pause', 'lst'], /has no lst \(list\?\)/],
    [2, 'an invalid amount', ['limit', 'set', 'verified', '--day', 'much', '--why', 'x'], /--day must be an amount/],
    [3, 'an unknown object', ['payment', 'show', stranger], /there is no payment/],
    [3, 'an unknown person', ['user', 'show', 'nobody_here'], /there is no person nobody_here/],
    [3, 'a payment that cannot be cancelled', ['payment', 'cancel', stranger], /there is no payment/],
    [5, 'chains that are not configured', ['reconcile'], /FLORIN_CHAINS names no blockchain/],
  ])('%i: %s', async (code, _, args, said) => {
    const answer = await operate(db, ...args).catch(describeFault);
    const { exitCode, message } = typeof answer === 'string' ? { exitCode: 0, message: '' } : answer;
    expect([exitCode, message]).toEqual([code, expect.stringMatching(said)]);
  });

  it('4: the login may not do this', async () => {
    const ended = await run(['pause', 'add', 'all', '--why', 'x'], { DATABASE_URL: database.urlOf('reader') });
    expect([ended.code, ended.err]).toEqual([4, expect.stringMatching(/This login lacks the privilege/)]);
  });

  it('5 and 6: the database refuses us, or does not answer', async () => {
    const url = new URL(database.urlOf('operator'));
    url.password = 'not-the-right-one';
    const refused = await run(['pause', 'list'], { DATABASE_URL: url.href });
    expect([refused.code, refused.err]).toEqual([5, expect.stringMatching(/refuses the password of \w+_operator/)]);
    url.port = '1';
    const silent = await run(['pause', 'list'], { DATABASE_URL: url.href });
    expect([silent.code, silent.err]).toEqual([6, expect.stringMatching(/does not answer: .*ECONNREFUSED/)]);
    expect(refused.err + silent.err).not.toContain('not-the-right-one');
  });
});

describe('a question', () => {
  it('is refused without a terminal, and --yes answers it', async () => {
    const args = ['pause', 'add', 'all', '--why', 'a\u001b[2J test'];
    const refused = await run(args, asOperator());
    expect(refused).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(/^Pause every payment\.\n.*a\\u001b\[2J test\n.*Nothing was changed: .* --yes\n$/s),
    });
    expect(await operate(db, 'pause', 'list')).toBe('Nothing is paused.\n');
    const done = await run([...args, '--yes'], asOperator());
    expect(done).toMatchObject({ code: 0, out: 'Paused: all. To resume: florin pause remove all\n' });
    expect(done.err).toMatch(/^Pause every payment\.\n/);
    await operate(db, 'pause', 'remove', 'all');
  });
});

describe('its environment', () => {
  it('comes from --env-file, before that from the environment, and otherwise from the sandbox that runs here', async () => {
    const missing = await run(['pause', 'list']);
    expect([missing.code, missing.err]).toEqual([
      5,
      expect.stringMatching(/DATABASE_URL is missing, and no sandbox runs here/),
    ]);
    const file = join(folder, 'operator.env');
    await writeFile(file, `DATABASE_URL='${database.urlOf('operator')}'\n`);
    expect((await run(['--env-file', file, 'pause', 'list'])).out).toBe('Nothing is paused.\n');
    // Node 20 itself reads this option, wherever it stands, and prints its own message.
    const none = await run(['pause', 'list', '--env-file', join(folder, 'none.env')]);
    expect(none).toMatchObject({ out: '', err: expect.stringMatching(/none\.env(: not found| cannot be read)/) });
    expect(none.code).toBeGreaterThan(0);
    const url = 'postgres://x:y@127.0.0.1:1/z';
    expect((await run(['pause', 'list', '--env-file', file], { DATABASE_URL: url })).code).toBe(6);
    const below = join(folder, 'project/some/folder');
    await mkdir(below, { recursive: true });
    await mkdir(join(folder, 'project/.florin'));
    await writeFile(join(folder, 'project/.florin/operator.env'), `DATABASE_URL='${database.urlOf('operator')}'\n`);
    expect((await run(['pause', 'list'], {}, below)).out).toBe('Nothing is paused.\n');
    const env = { FLORIN_DATA_DIR: 'project/.florin' };
    expect((await run(['pause', 'list'], env)).out).toBe('Nothing is paused.\n');
    // A process of the service needs explicit settings.
    expect((await run(['server'], {}, below)).err).toMatch(/DATABASE_URL is missing\n/);
  });
});

describe('output', () => {
  it('ends quietly when its reader has gone', async () => {
    for (const args of [['--help'], ['doctor', '--json']]) {
      const child = spawn(process.execPath, [...FLORIN, ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH, FLORIN_MODE: 'sandbox', ...asOperator() },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.destroy();
      let err = '';
      child.stderr.on('data', (text) => (err += text));
      const code = await new Promise((done) => child.once('exit', done));
      expect([args, code, err]).toEqual([args, 0, '']);
    }
  });

  it('that cannot be written is an error', async () => {
    const ended = await new Promise<Ended>((done) => {
      const command = `"$0" "$@" > /dev/full`;
      execFile('sh', ['-c', command, process.execPath, ...FLORIN, '--help'], (error, out, err) =>
        done({ code: (error as { code?: number } | null)?.code ?? 0, out, err }),
      );
    });
    expect([ended.code, ended.err]).toEqual([1, expect.stringMatching(/cannot be written: ENOSPC/)]);
  });

  it('completes commands in bash', async () => {
    const script = await operate(db, 'completion', 'bash');
    const complete = (...words: string[]) =>
      new Promise<string[]>((done, fail) => {
        const test = `${script}\nCOMP_WORDS=(florin ${words.map((word) => `'${word}'`).join(' ')})\nCOMP_CWORD=${words.length}\n_florin\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
        execFile('bash', ['-c', test], (error, out) => (error ? fail(error) : done(out.trim().split('\n'))));
      });
    expect(await complete('pay')).toEqual(['payment', 'payout']);
    expect(await complete('payment', 'a')).toEqual(['approve', 'approve-payout', 'approve-refund']);
    expect(await complete('payment', 'deny', 'x', '--w')).toEqual(['--why']);
    expect(await complete('doctor', '--')).toEqual(['--as', '--json', '--env-file', '--help']);
    expect(await operate(db, 'completion', 'zsh')).toMatch(/compdef _florin florin\n$/);
    await expect(operate(db, 'completion', 'fish')).rejects.toThrow(/only for bash and zsh/);
  });
});

describe('a process that cannot start', () => {
  const signerEnv = () => ({
    FLORIN_MODE: 'sandbox',
    DATABASE_URL: database.urlOf('signer'),
    FLORIN_SIGNER_URL: `unix:${join(folder, 'signer.sock')}`,
    FLORIN_SIGNER_TOKENS: 'server=one-token, worker=another-token',
    FLORIN_WALLET_SECRET: SECRET,
  });

  it('lists everything that is wrong, the seed file included, without a stack trace', async () => {
    const file = join(folder, 'nowhere/seed.json');
    const env = { ...signerEnv(), FLORIN_SIGNER_TOKENS: '', FLORIN_WALLET_SEED_FILE: file };
    const ended = await run(['signer'], env);
    expect([ended.code, ended.out]).toEqual([5, '']);
    expect(ended.err.split('\n')).toEqual([
      'The configuration has 3 faults:',
      '  - FLORIN_SIGNER_TOKENS has no token for the server',
      '  - FLORIN_SIGNER_TOKENS has no token for the worker',
      expect.stringMatching(
        /^ {2}- FLORIN_WALLET_SEED_FILE: the folder \S+nowhere does not exist: .*mkdir -p -m 700 \S+nowhere; then florin seed create/,
      ),
      'florin doctor shows details and how to fix them.',
      '',
    ]);
  });

  it('reports that its seed needs another secret', async () => {
    const file = join(folder, 'wallet-seed.json');
    const env = { ...signerEnv(), FLORIN_WALLET_SEED_FILE: file };
    await createSeedFile(file, `${SECRET}-another`);
    const wrong = await run(['signer'], env);
    expect([wrong.code, wrong.out]).toEqual([5, '']);
    expect(wrong.err).toMatch(/ {2}- the wallet seed file does not open with this FLORIN_WALLET_SECRET/);
  });

  it.each(['server', 'worker'] as const)('does not wait forever for a wrong password (%s)', async (program) => {
    const url = new URL(database.urlOf(program));
    url.password = 'not-the-right-one';
    const ended = await run([program], {
      FLORIN_MODE: 'sandbox',
      DATABASE_URL: url.href,
      FLORIN_SIGNER_URL: `unix:${join(folder, 'signer.sock')}`,
      FLORIN_SIGNER_TOKEN: SECRET,
      FLORIN_WEB3_PORT: '0',
      FLORIN_BACKEND_PORT: '0',
      FLORIN_OPS_PORT: '0',
    });
    expect(ended.code).toBe(5);
    expect(ended.err).toMatch(
      /The database cannot be used in its current state:\n {2}- the database at \S+ refuses the password of \w+: correct it in DATABASE_URL/,
    );
    expect(ended.out).toMatch(/FLORIN_CHAINS names no blockchain/);
    expect(ended.err + ended.out).not.toMatch(/not-the-right-one|at async/);
  });
});

describe('a seed', () => {
  const seed = (verb: string, file: string, env: Record<string, string> = {}) =>
    run(['seed', verb], { FLORIN_WALLET_SEED_FILE: file, FLORIN_WALLET_SECRET: SECRET, ...env });

  it('is created once, in an existing folder, and opens only with its secret', async () => {
    const nowhere = await seed('create', join(folder, 'nowhere/seed.json'));
    expect([nowhere.code, nowhere.err.replace(/\s+/g, ' ')]).toEqual([
      5,
      expect.stringMatching(
        /The folder \S+nowhere does not exist\. Create it as the signer's user: mkdir -p -m 700 \S+nowhere/,
      ),
    ]);
    const file = join(folder, 'made.json');
    expect(await seed('create', file)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Created\s[\s\S]*\sCopy\s+it\s+to\s+a\s+safe\s+place/),
    });
    expect(await seed('create', file)).toMatchObject({ code: 0, out: expect.stringMatching(/already exists/) });
    const next = { FLORIN_WALLET_SECRET: `${SECRET}-next` };
    expect(await seed('check', file, next)).toMatchObject({ code: 5, err: expect.stringMatching(/does not open/) });
  });
});
