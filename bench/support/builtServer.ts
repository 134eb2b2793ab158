/**
 * The server as production runs it: `npm run build`, `server/dist/bin/server.js`, with the flags of the README, on a
 * database that is already migrated. In the sandbox's mode, because production's needs TLS to everybody; callers who send
 * a credential are checked as in production. The rate limits count, but do not end.
 */
import { execFileSync, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSeedFile } from '../../server/src/adapters/wallets/local/seedFile.ts';
import { PRODUCTION_FLAGS } from './buildServer.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SECRET = 'a secret for benchmarks, of no value at all';
const PLENTY = 1_000_000;

interface BuiltServer {
  readonly backendUrl: string;
  stop(): Promise<void>;
}

export async function startBuiltServer(databaseUrl: string): Promise<BuiltServer> {
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'server/tsconfig.build.json'], { cwd: ROOT });
  const folder = mkdtempSync(join(tmpdir(), 'florin-built-'));
  const seedFile = join(folder, 'wallet-seed.json');
  await createSeedFile(seedFile, SECRET);
  const child = fork(join(ROOT, 'server/dist/bin/server.js'), [], {
    execArgv: PRODUCTION_FLAGS,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      FLORIN_MODE: 'sandbox',
      FLORIN_WEB3_PORT: '0',
      FLORIN_BACKEND_PORT: '0',
      FLORIN_OPS_PORT: '0',
      FLORIN_LOG_LEVEL: 'error',
      FLORIN_WALLET_SEED_FILE: seedFile,
      FLORIN_WALLET_SECRET: SECRET,
      FLORIN_RATE_LIMITS: ['address', 'login', 'user', 'key', 'kyc'].map((rate) => `${rate}=${PLENTY}`).join(','),
      DATABASE_URL: databaseUrl,
    },
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const ready = await new Promise<{ backend_url: string }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { backend_url: string }));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return {
    backendUrl: ready.backend_url,
    async stop() {
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
