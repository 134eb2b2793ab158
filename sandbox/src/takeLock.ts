import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFolderFault, StartFault } from './fault.ts';
import { findStartTime, isAlive } from './processes.ts';

interface Holder {
  readonly pid: number;
  /** When the holder was started: pids are reused, so the pid alone may name another program. */
  readonly started: string | undefined;
}

interface Lock {
  /** The holder before us was killed, and some of its children may still be running. */
  readonly takenOver: boolean;
  release(): void;
}

/** One sandbox per data folder: throws if another one runs in it. */
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

/** link() creates the complete file or fails because one exists, so a reader never sees half a lock. */
function linkOnce(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Another start may have taken the lock between our check and our rename; then we restore it. */
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
