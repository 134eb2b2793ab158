/**
 * The server as production starts it: compiled, `florin server`, configured by environment variables, with the
 * database role that a server has.
 */
import { execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import type { Db } from '../../server/src/db/database.ts';
import { PRODUCTION_FLAGS, type Program } from './buildServer.ts';
import { isShort } from './short.ts';
import { readCpuSeconds } from './yardsticks/cpuSeconds.ts';

type Mode = 'sandbox' | 'production';

export interface BuiltServer {
  readonly backendUrl: string;
  /** CPU time that it has used so far. */
  readCpuSeconds(): number;
  stop(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the compiler, as `npm run build` does. A short run uses the sources, or the tests' build of them. */
export async function compileServer(): Promise<void> {
  if (isShort) return;
  const [compiler, project] = [
    join(ROOT, 'node_modules/typescript-native/bin/tsc'),
    join(ROOT, 'server/tsconfig.build.json'),
  ];
  await promisify(execFile)(process.execPath, [compiler, '-p', project]);
}

export function findServer(): Program {
  if (!isShort) return { file: join(ROOT, 'server/dist/bin/florin.js'), execArgv: PRODUCTION_FLAGS };
  const words = argumentsOf('server/src/bin/florin');
  return { file: words.at(-1)!, execArgv: words.slice(0, -1) };
}

export interface BuiltServers {
  start(): Promise<BuiltServer>;
  /** A further process with its own database role; the returned function stops it. */
  startWorker(): Promise<() => Promise<void>>;
  /** Removes the folder that they share. */
  remove(): void;
}

/** Servers on one database, whose people must be of this mode. */
export async function prepareServers(
  mode: Mode,
  databaseUrl: string,
  db: Db,
  rateLimits?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<BuiltServers> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-bench-'));
  const env = {
    PATH: process.env.PATH,
    FLORIN_MODE: mode,
    FLORIN_WEB3_PORT: '0',
    FLORIN_BACKEND_PORT: '0',
    FLORIN_OPS_PORT: '0',
    FLORIN_WORKER_OPS_PORT: '0',
    // No one logs in for the first time.
    FLORIN_SIGNER_URL: `unix:${join(folder, 'no-signer.sock')}`,
    FLORIN_SIGNER_TOKEN: randomBytes(32).toString('base64'),
    FLORIN_OIDC_ISSUERS: JSON.stringify([{ issuer: 'https://issuer.bench.example', audience: 'bench' }]),
    ...(rateLimits !== undefined && { FLORIN_RATE_LIMITS: rateLimits }),
    ...more,
  };
  const server = { ...env, DATABASE_URL: await createLogin(databaseUrl, db, 'server') };
  return {
    start: () => startProgram('server', server),
    startWorker: async () =>
      (await startProgram('worker', { ...env, DATABASE_URL: await createLogin(databaseUrl, db, 'worker') })).stop,
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** The URL of a login with the rights of this process. */
async function createLogin(databaseUrl: string, db: Db, role: 'server' | 'worker'): Promise<string> {
  const [names] = await db.query<{ prefix: string }>('SELECT prefix FROM role_names');
  // Copied databases share the prefix.
  const password = randomBytes(16).toString('hex');
  const login = `${names!.prefix}_bench_${role}_${password.slice(0, 8)}`;
  await db.query(`CREATE ROLE "${login}" LOGIN PASSWORD '${password}' IN ROLE "${names!.prefix}_${role}"`);
  const url = new URL(databaseUrl);
  url.username = login;
  url.password = password;
  return url.href;
}

async function startProgram(program: 'server' | 'worker', env: NodeJS.ProcessEnv): Promise<BuiltServer> {
  const { file, execArgv } = findServer();
  const child = fork(file, [program], {
    execArgv,
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const backendUrl = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { backend_url: string }).backend_url));
    child.once('exit', (code) => reject(new Error(`the ${program} ended with ${code}`)));
  });
  return {
    backendUrl,
    readCpuSeconds: () => readCpuSeconds(child.pid!),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
