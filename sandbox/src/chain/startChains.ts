import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFolderFault, StartFault } from '../fault.ts';
import { findFreePort, isPortFree } from '../ports.ts';
import { argumentsOf, signalProcess, waitForExit } from '../processes.ts';
import { writePrivateFile } from '../writePrivateFile.ts';
import { type ChainParameters, type Label, places } from './genesis.ts';

export interface ChainsRequest {
  readonly mining: 'clock' | 'demand';
  readonly chains: readonly {
    readonly label: string;
    readonly place: ChainParameters;
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
  /** The pid of the current process; a process that dies is replaced. */
  readonly pid: number;
  readonly chains: readonly RunningChain[];
  stop(): Promise<void>;
  kill(): void;
}

interface StartChainsOptions {
  /** The folder of the journals; without it, the chains are lost when they stop. */
  readonly dataDir?: string;
  readonly labels?: readonly Label[];
  readonly mining?: 'clock' | 'demand';
  /** Tests of production mode give the chain the real chain's id. */
  readonly chainIds?: Readonly<Partial<Record<Label, number>>>;
  readonly log?: (line: string) => void;
  readonly onRestart?: () => void;
}

const STOP_MS = 5_000;
const RESTART_MS = 500;
const PORT_PATIENCE_MS = 2_000;

/** Starts the local chains in a separate process, and waits until every journal is replayed. */
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
  let isStopping = false;
  let { child, urls } = await launch(request);
  // The same ports after a restart, because other processes use the URLs.
  const again = { ...request, chains: chains.map((chain, i) => ({ ...chain, port: Number(new URL(urls[i]!).port) })) };
  again.chains.forEach(({ label, port }) => {
    if (folder) writePrivateFile(join(folder, `${label}.port`), String(port));
  });

  function watch(): void {
    child.once('exit', async (code, signal) => {
      if (isStopping || !folder) return;
      options.log?.(`The local chain ended (${signal ?? code}); starting it again with all its blocks.`);
      await sleep(RESTART_MS);
      if (isStopping) return;
      try {
        ({ child, urls } = await launch(again));
        options.onRestart?.();
        watch();
      } catch (error) {
        options.log?.((error as Error).message);
      }
    });
  }
  watch();

  return {
    get pid() {
      return child.pid!;
    },
    chains: chains.map(({ label, place }, i) => ({
      blockchain: label,
      chain_id: place.chainId,
      rpc_url: urls[i]!,
      usdc_address: place.usdc,
    })),
    async stop() {
      isStopping = true;
      if (child.connected) child.send('stop');
      if (!(await waitForExit(child.pid!, STOP_MS))) signalProcess(child.pid!, 'SIGKILL');
    },
    kill() {
      isStopping = true;
      signalProcess(child.pid!, 'SIGKILL');
    },
  };
}

async function launch(request: ChainsRequest): Promise<{ child: ChildProcess; urls: string[] }> {
  const child = spawn(process.execPath, [...argumentsOf('sandbox/src/chain/chainProcess'), JSON.stringify(request)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const urls = await new Promise<string[]>((done, fail) => {
    child.once('message', (message: { type: string; urls: string[]; message?: string }) => {
      if (message.type === 'ready') done(message.urls);
      else fail(new StartFault(`The local chain cannot start: ${message.message}`));
    });
    child.once('exit', (code) => fail(new StartFault(`The local chain ended while it started (code ${code}).`)));
    child.once('error', fail);
  });
  return { child, urls };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw findFolderFault(error, folder) ?? error;
  }
}

/**
 * The same port as before, because other processes use the URL; any port if it is taken. A process that was just killed
 * may hold its sockets a moment longer, so a taken port is retried first.
 */
async function choosePort(folder: string | undefined, label: string): Promise<number> {
  const file = folder && join(folder, `${label}.port`);
  const port = file && existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (port === 0) return findFreePort();
  for (const deadline = Date.now() + PORT_PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
    if (await isPortFree(port)) return port;
  }
  return findFreePort();
}
