import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFolderFault, StartFault } from './fault.ts';
import { argumentsOf, findCommandLine, isAlive, signalProcess, waitForExit } from './processes.ts';

/** The server's processes that the sandbox keeps running, as `florin` names them. */
const PROGRAMS = { API: 'server', worker: 'worker', signer: 'signer', console: 'console' } as const;
const FLORIN = 'server/src/bin/florin';

interface ServerOptions {
  readonly program: keyof typeof PROGRAMS;
  readonly root: string;
  readonly env: Record<string, string>;
  readonly logFile: string;
  readonly pidFile: string;
  readonly log: (line: string) => void;
  readonly stopping: AbortSignal;
  /** Called after a restart, when it is ready again. */
  readonly onRestart: () => void;
}

interface RunningServer {
  readonly pid: number;
  /** Lets it drain; kills it if that takes too long. */
  stop(): Promise<void>;
  kill(): void;
}

const LOG_LIMIT_BYTES = 10_000_000;
const READY_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 12_000;
const STEADY_MS = 30_000;

/** Runs a program of the server as a separate process and restarts it when it ends unexpectedly. */
export async function superviseServer(options: ServerOptions): Promise<RunningServer> {
  if (existsSync(options.logFile) && statSync(options.logFile).size > LOG_LIMIT_BYTES) {
    renameSync(options.logFile, `${options.logFile}.1`);
  }
  let stopping = false;
  let child = await startServer(options);
  void watch();

  async function watch(): Promise<void> {
    for (let failures = 0; ; ) {
      const since = Date.now();
      const how = await ended(child);
      if (stopping) return;
      failures = Date.now() - since > STEADY_MS ? 0 : failures + 1;
      const pauseMs = Math.min(250 * 2 ** failures, 10_000);
      options.log(`The ${options.program} ended unexpectedly (${how}); restarting it. Log: ${options.logFile}`);
      await sleep(pauseMs);
      if (stopping) return;
      try {
        child = spawnServer(options);
        await becomeReady(child, options);
        options.onRestart();
      } catch (error) {
        options.log((error as Error).message);
      }
    }
  }

  return {
    get pid() {
      return child.pid!;
    },
    async stop() {
      stopping = true;
      await endProcess(child.pid!);
      rmSync(options.pidFile, { force: true });
    },
    kill() {
      stopping = true;
      child.kill('SIGKILL');
    },
  };
}

/** A sandbox that was killed while starting may have left its processes, which still use the ports. */
export async function endLeftServer(program: keyof typeof PROGRAMS, pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  if (Number.isInteger(pid) && pid > 1 && isOurs(findCommandLine(pid), program)) await endProcess(pid);
  rmSync(pidFile, { force: true });
}

/** Pids are reused: `node … florin.ts worker`. */
const isOurs = (commandLine: string | undefined, program: keyof typeof PROGRAMS): boolean =>
  Boolean(commandLine?.includes(FLORIN) && commandLine.endsWith(` ${PROGRAMS[program]}`));

async function endProcess(pid: number): Promise<void> {
  if (!signalProcess(pid, 'SIGTERM') || (await waitForExit(pid, STOP_TIMEOUT_MS))) return;
  signalProcess(pid, 'SIGKILL');
  await waitForExit(pid, 2_000);
}

async function startServer(options: ServerOptions): Promise<ChildProcess> {
  const child = spawnServer(options);
  try {
    await becomeReady(child, options);
    return child;
  } catch (error) {
    await endProcess(child.pid!);
    throw error;
  }
}

function spawnServer({ program, root, env, logFile, pidFile }: ServerOptions): ChildProcess {
  let log: number;
  try {
    log = openSync(logFile, 'a', 0o600);
  } catch (error) {
    throw findFolderFault(error, logFile) ?? error;
  }
  // A separate session: Ctrl-C reaches only the sandbox, which lets it drain. If we are killed, the closed channel ends
  // it.
  const child = spawn(process.execPath, ['--max-semi-space-size=64', ...argumentsOf(FLORIN), PROGRAMS[program]], {
    cwd: root,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  if (!child.pid) throw new StartFault(`The ${program} could not be started: no process could be created.`);
  writeFileSync(pidFile, `${child.pid}\n`);
  return child;
}

/** Waits for the message that it is ready. */
async function becomeReady(child: ChildProcess, { program, logFile, stopping }: ServerOptions): Promise<void> {
  const from = statSync(logFile).size;
  const ready = new Promise<'ready'>((resolve) => {
    child.on('message', (message) => {
      if ((message as { type?: string } | null)?.type === 'ready') resolve('ready');
    });
  });
  const done = new AbortController();
  const outcome = await Promise.race([
    ready,
    ended(child).then((how) => `it ended (${how})`),
    sleep(READY_TIMEOUT_MS, `it was not ready after ${READY_TIMEOUT_MS / 1000} s`, {
      signal: AbortSignal.any([done.signal, stopping]),
    }),
  ]).finally(() => done.abort());
  if (outcome === 'ready') return;
  const said = readFileSync(logFile).subarray(from).toString('utf8').trim().split('\n');
  const reason = said
    .filter((line) => !line.startsWith('{'))
    .slice(-12)
    .join('\n');
  throw new StartFault(`The ${program} did not start: ${outcome}.\n${reason}\nFull log: ${logFile}`);
}

function ended(child: ChildProcess): Promise<string> {
  const describe = (code: number | null, signal: string | null) => (signal ? signal : `exit code ${code}`);
  if (child.exitCode !== null || child.signalCode !== null || !isAlive(child.pid!)) {
    return Promise.resolve(describe(child.exitCode, child.signalCode));
  }
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(describe(code, signal))));
}
