/** A server and a worker as separate processes on a test database, which are killed and restarted. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argumentsOf } from '../../../sandbox/src/processes.ts';
import type { TestDatabase } from '../database.ts';
import { SIGNER_TOKENS } from '../values.ts';

interface KilledProcess {
  /** The Backend API of the current server. */
  readonly url: string;
  readonly pid: number;
  readonly kills: number;
  /** kill -9. Resolves when another one is ready. */
  crash(): Promise<void>;
}

export interface Processes {
  readonly server: KilledProcess;
  readonly worker: KilledProcess;
  stop(): Promise<void>;
}

/** In sandbox mode, in which webhooks may be on this machine. There is no chain, and so nothing to sign. */
export async function startProcesses(database: TestDatabase, env: Record<string, string> = {}): Promise<Processes> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-events-'));
  const running = new Set<ChildProcess>();
  const common = {
    PATH: process.env.PATH,
    FLORIN_MODE: 'sandbox',
    FLORIN_WEB3_PORT: '0',
    FLORIN_BACKEND_PORT: '0',
    FLORIN_OPS_PORT: '0',
    FLORIN_WORKER_OPS_PORT: '0',
    FLORIN_SIGNER_URL: `unix:${join(folder, 'no-signer.sock')}`,
    FLORIN_OIDC_ISSUERS: JSON.stringify([{ issuer: 'https://issuer.test.example', audience: 'test' }]),
    FLORIN_LOG_LEVEL: 'fatal',
    ...env,
  };
  const launch = async (program: 'server' | 'worker') => {
    const child = spawn(process.execPath, [...argumentsOf('server/src/bin/florin'), program], {
      env: { ...common, DATABASE_URL: database.urlOf(program), FLORIN_SIGNER_TOKEN: SIGNER_TOKENS[program] },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    running.add(child);
    const ended = new Promise<void>((done) => {
      child.once('exit', () => {
        running.delete(child);
        done();
      });
    });
    const url = await new Promise<string>((resolve, reject) => {
      child.once('message', (message) => resolve((message as { backend_url?: string }).backend_url ?? ''));
      child.once('exit', (code) => reject(new Error(`the ${program} ended with ${code}`)));
    });
    return { child, ended, url };
  };
  const keep = async (program: 'server' | 'worker'): Promise<KilledProcess> => {
    let current = await launch(program);
    let kills = 0;
    /** One kill after another, each of a process that was ready. */
    let last: Promise<void> = Promise.resolve();
    const crash = async () => {
      kills++;
      current.child.kill('SIGKILL');
      await current.ended;
      current = await launch(program);
    };
    return {
      get url() {
        return current.url;
      },
      get pid() {
        return current.child.pid!;
      },
      get kills() {
        return kills;
      },
      crash() {
        last = last.then(crash);
        return last;
      },
    };
  };
  const stop = async () => {
    await Promise.all(
      [...running].map((child) => {
        const gone = new Promise((done) => child.once('exit', done));
        child.kill('SIGKILL');
        return gone;
      }),
    );
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [server, worker] = await Promise.all([keep('server'), keep('worker')]);
    return { server, worker, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
