/**
 * One shell that a person types into: what a block exports or defines exists in the next one. Each block is a separate
 * process, so that some can be typed as another user; processes of the service keep running in the background.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../../../sandbox/src/postgres/chooseHome.ts';
import { type Block, PROCESS } from './readPage.ts';

const READY_WITHIN_MS = 120_000;

type ProcessName = 'signer' | 'server' | 'worker';

interface Shell {
  /** Runs a block and returns its output; fails with that output. */
  run(block: Block): Promise<string>;
  end(...names: readonly ProcessName[]): Promise<void>;
  isRunning(name: ProcessName): boolean;
}

export function openShell(given: {
  readonly folder: string;
  /** Shell functions that every block can call. */
  readonly functions: string;
  readonly env: Record<string, string | undefined>;
  readonly opsPorts: Readonly<Record<ProcessName, number>>;
  /** Undefined: we are not root, so PostgreSQL runs under our account. */
  readonly postgres: Account | undefined;
}): Shell {
  const { folder, env } = given;
  const state = join(folder, 'state.sh');
  const log = join(folder, 'drill.log');
  for (const file of [state, log]) {
    writeFileSync(file, file === state ? given.functions : '');
    chmodSync(file, 0o666);
  }
  const processes = new Map<ProcessName, ChildProcess>();

  /** The output goes to a file, because PostgreSQL would inherit a pipe and keep it open. */
  async function type(text: string, account?: Account): Promise<string> {
    const script = `set -euo pipefail\n. ${state}\n${text}\n{ export -p; declare -f; echo umask $(umask); } > ${state}\n`;
    const before = readFileSync(log).length;
    const out = openSync(log, 'a');
    const child = spawn('bash', ['-c', script], { cwd: folder, env, stdio: ['ignore', out, out], ...account });
    closeSync(out);
    const code = await new Promise((done) => child.once('exit', done));
    const said = readFileSync(log).subarray(before).toString('utf8');
    if (code !== 0) throw new Error(`exit code ${code} of\n${text}\n${said.slice(-4_000)}`);
    return said;
  }

  async function end(...names: readonly ProcessName[]): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        const child = processes.get(name);
        processes.delete(name);
        if (!child || child.exitCode !== null || child.signalCode !== null) return;
        const gone = new Promise((done) => child.once('exit', done));
        child.kill('SIGTERM');
        await gone;
      }),
    );
  }

  async function start(name: ProcessName, text: string): Promise<void> {
    await end(name);
    const out = openSync(join(folder, `${name}.log`), 'a');
    // The shell becomes the process, so that it gets our signals.
    const script = `. ${state}\nexec env ${text}`;
    const child = spawn('bash', ['-c', script], { cwd: folder, env, stdio: ['ignore', out, out] });
    closeSync(out);
    processes.set(name, child);
    const readyz = `http://127.0.0.1:${given.opsPorts[name]}/readyz`;
    for (const endsMs = performance.now() + READY_WITHIN_MS; ; await sleep(100)) {
      const answer = await fetch(readyz).catch(() => undefined);
      await answer?.arrayBuffer();
      if (answer?.status === 200) return;
      const hasEnded = child.exitCode !== null;
      if (hasEnded || performance.now() > endsMs)
        throw new Error(
          `${name} ${hasEnded ? 'ended' : 'is not ready'}:\n${readFileSync(join(folder, `${name}.log`), 'utf8').slice(-4_000)}`,
        );
    }
  }

  return {
    async run({ kind, text }) {
      appendFileSync(log, `\n$ ${text}`);
      if (kind === 'process') {
        await start(PROCESS.exec(text)![1] as ProcessName, text);
        return '';
      }
      return type(text, kind === 'postgres' ? given.postgres : undefined);
    },
    end,
    isRunning: (name) => processes.has(name),
  };
}
