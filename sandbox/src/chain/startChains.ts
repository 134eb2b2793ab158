import { fork } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFolderFault, StartFault } from '../fault.ts';
import { isPortFree } from '../ports.ts';
import { signalProcess, waitForExit } from '../processes.ts';
import { writePrivateFile } from '../writePrivateFile.ts';
import { type Label, type Place, places } from './genesis.ts';

export interface ChainsRequest {
  readonly mining: 'clock' | 'demand';
  readonly chains: readonly {
    readonly label: string;
    readonly place: Place;
    readonly journalFile?: string;
    readonly port: number;
  }[];
}

export interface RunningChain {
  readonly blockchain: Label;
  readonly chain_id: number;
  readonly rpc_url: string;
  readonly usdc_address: string;
}

export interface RunningChains {
  readonly pid: number;
  readonly chains: readonly RunningChain[];
  /** Settles when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
  kill(): void;
}

export interface StartChainsOptions {
  /** Journals go below it; without it the chains are gone when they stop. */
  readonly dataDir?: string;
  readonly labels?: readonly Label[];
  readonly mining?: 'clock' | 'demand';
  /** A test of production mode gives the chain the id of the real one. */
  readonly chainIds?: Readonly<Partial<Record<Label, number>>>;
}

const STOP_MS = 5_000;

/** Starts the local chains in a process of their own, and waits until every journal is replayed. */
export async function startChains(options: StartChainsOptions = {}): Promise<RunningChains> {
  const folder = options.dataDir === undefined ? undefined : join(options.dataDir, 'chain');
  const labels = options.labels ?? (Object.keys(places) as Label[]);
  if (folder) makeFolder(folder);
  const chains = await Promise.all(
    labels.map(async (label) => ({
      label,
      place: { ...places[label], chainId: options.chainIds?.[label] ?? places[label].chainId },
      port: await choosePort(folder, label),
      ...(folder && { journalFile: join(folder, `${label}.journal`) }),
    })),
  );
  const request: ChainsRequest = { mining: options.mining ?? 'clock', chains };
  const child = fork(fileURLToPath(new URL('chainProcess.ts', import.meta.url)), [JSON.stringify(request)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const urls = await new Promise<string[]>((done, fail) => {
    child.once('message', (message: { type: string; urls: string[]; message?: string }) =>
      message.type === 'ready'
        ? done(message.urls)
        : fail(new StartFault(`The local chain cannot start: ${message.message}`)),
    );
    child.once('exit', (code) => fail(new StartFault(`The local chain ended while it started (code ${code}).`)));
    child.once('error', fail);
  });
  const running = chains.map(({ label, place }, i): RunningChain => {
    const rpcUrl = urls[i]!;
    if (folder) writePrivateFile(join(folder, `${label}.port`), new URL(rpcUrl).port);
    return { blockchain: label, chain_id: place.chainId, rpc_url: rpcUrl, usdc_address: place.usdc };
  });
  const pid = child.pid!;
  return {
    pid,
    chains: running,
    ended,
    async stop() {
      if (child.connected) child.send('stop');
      if (!(await waitForExit(pid, STOP_MS))) signalProcess(pid, 'SIGKILL');
      await ended;
    },
    kill: () => void signalProcess(pid, 'SIGKILL'),
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw findFolderFault(error, folder) ?? error;
  }
}

/** The same port again where it is free, else any: whoever holds the URL keeps working over a restart. */
async function choosePort(folder: string | undefined, label: string): Promise<number> {
  const file = folder && join(folder, `${label}.port`);
  const port = file && existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  return port > 0 && (await isPortFree(port)) ? port : 0;
}
