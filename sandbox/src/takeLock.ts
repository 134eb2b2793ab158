import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFolderFault, StartFault } from './fault.ts';
import { findStartTime, isAlive } from './processes.ts';

interface Holder {
  readonly pid: number;
  /** Pids are used again, so the pid alone would let a stranger hold the lock. */
  readonly started: string | undefined;
}

interface Lock {
  /** The holder before us was killed: some of its children may still be on their way out. */
  readonly takenOver: boolean;
  release(): void;
}

/** One sandbox per data folder. Throws when somebody else has it. */
export function takeLock(dataDir: string): Lock {
  const path = join(dataDir, 'lock');
  const draft = `${path}.${process.pid}`;
  const mine: Holder = { pid: process.pid, started: findStartTime(process.pid) };
  let takenOver = false;
  try {
    writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
    while (!linkOnce(draft, path)) {
      const holder = readHolder(path);
      if (holder && isHolding(holder)) throw describeHolder(dataDir, holder);
      moveAside(path, dataDir);
      takenOver = true;
    }
  } catch (error) {
    throw error instanceof StartFault ? error : (findFolderFault(error, dataDir) ?? error);
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    takenOver,
    release: () => {
      if (readHolder(path)?.pid === process.pid) rmSync(path, { force: true });
    },
  };
}

/** A link either creates the complete file or finds one: nobody ever reads half a lock. */
function linkOnce(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Between our look and our rename another start may have taken the lock over: then it gets it back. */
function moveAside(path: string, dataDir: string): void {
  const aside = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readHolder(aside);
  if (moved && isHolding(moved)) {
    linkOnce(aside, path);
    rmSync(aside, { force: true });
    throw describeHolder(dataDir, moved);
  }
  rmSync(aside, { force: true });
}

const isHolding = (holder: Holder): boolean =>
  isAlive(holder.pid) && (holder.started === undefined || holder.started === findStartTime(holder.pid));

function readHolder(path: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder>;
    return Number.isInteger(holder.pid) ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
}

function describeHolder(dataDir: string, holder: Holder): StartFault {
  let where = 'it is still starting';
  try {
    const state = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as Record<string, string>;
    where = `Web3 API ${state.web3_url}, Backend API ${state.backend_url}`;
  } catch {
    // Not ready yet.
  }
  return new StartFault(
    `A sandbox already runs in ${dataDir} (pid ${holder.pid}; ${where}).\n` +
      'Use it, stop it with Ctrl-C where it runs, or start a second one beside it:\n' +
      '  FLORIN_DATA_DIR=.florin-2 FLORIN_WEB3_PORT=8100 FLORIN_BACKEND_PORT=8101 FLORIN_WALLET_PORT=8180 npm start',
  );
}
