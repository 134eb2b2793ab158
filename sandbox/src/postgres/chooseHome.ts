import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { findFolderFault, StartFault } from '../fault.ts';
import { type Binaries, binaryOf } from './findBinaries.ts';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Where a cluster is stored, and the account that runs it. */
export interface Home {
  /** Holds `data` (the cluster), `password`, `port` and `postgres.log`. */
  readonly folder: string;
  readonly binaries: Binaries;
  /** Only if we are root: PostgreSQL refuses to run as root and runs under this account instead. */
  readonly account?: Account;
}

const HOME = 'postgres';
/** A file in the data folder that names the location of the cluster, if it had to be in another folder. */
const NOTE = 'postgres-folder';
/** For files that the unprivileged account must reach if it cannot enter the checkout. */
const OPEN_FOLDERS = ['/var/lib/florin', '/var/tmp/florin'];

export function chooseHome(dataDir: string, binaries: Binaries): Home {
  makeDataDir(dataDir);
  if (process.getuid?.() !== 0) {
    tryBinaries(binaries);
    return { folder: join(dataDir, HOME), binaries };
  }
  const noted = readNote(dataDir);
  const account = findOwner(join(noted ?? join(dataDir, HOME), 'data')) ?? getUnprivilegedAccount();
  return {
    folder: noted ?? (canEnter(account, dataDir) ? join(dataDir, HOME) : moveAway(dataDir)),
    binaries: chooseBinaries(binaries, account),
    account,
  };
}

/** Deletes the cluster, wherever it is. The caller has stopped it. */
export function removeHome(dataDir: string): void {
  const noted = readNote(dataDir);
  // Only below our own folders: the file may have been edited.
  if (noted && OPEN_FOLDERS.includes(dirname(dirname(noted)))) rmSync(dirname(noted), { recursive: true, force: true });
  rmSync(join(dataDir, HOME), { recursive: true, force: true });
  rmSync(join(dataDir, NOTE), { force: true });
}

export function makeDataDir(dataDir: string): void {
  try {
    if (existsSync(dataDir) && statSync(dataDir).isDirectory()) return;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // The account that runs PostgreSQL must be able to enter the folder, but not to list it.
    if (process.getuid?.() === 0) chmodSync(dataDir, 0o711);
  } catch (error) {
    // If several levels are to be created on a read-only disk, Node reports ENOENT.
    const isReadOnly = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw findFolderFault(isReadOnly ? 'Read-only file system' : error, dataDir) ?? error;
  }
}

function readNote(dataDir: string): string | undefined {
  const note = join(dataDir, NOTE);
  return existsSync(note) ? readFileSync(note, 'utf8').trim() : undefined;
}

/** An existing cluster must run under the account that owns its files. */
function findOwner(data: string): Account | undefined {
  if (!existsSync(data)) return undefined;
  const { uid, gid } = statSync(data);
  return uid === 0 ? undefined : { uid, gid };
}

/** PostgreSQL refuses to run as root: then it needs this account. Undefined: it can run under ours. */
export const findAccount = (): Account | undefined => (process.getuid?.() === 0 ? getUnprivilegedAccount() : undefined);

/** initdb needs an account with a line in /etc/passwd, so an arbitrary uid does not work. */
function getUnprivilegedAccount(): Account {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid && gid && Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new StartFault(
    'PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody to run it as. ' +
      'Start as a normal user, or use your own database: DATABASE_URL=postgres://user:password@host/database npm start',
  );
}

const canEnter = (account: Account, folder: string): boolean =>
  spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;

function tryBinaries(binaries: Binaries, account?: Account): void {
  const tried = spawnSync(binaryOf(binaries, 'postgres'), ['--version'], { ...account, cwd: '/', encoding: 'utf8' });
  if (tried.status === 0) return;
  throw new StartFault(
    'The built-in PostgreSQL does not run on this system ' +
      `(${tried.error?.message ?? tried.stderr.trim().split('\n').at(-1)}). ` +
      'Use your own: DATABASE_URL=postgres://user:password@host/database npm start',
  );
}

/** The account cannot enter a checkout below /root (mode 0700): then it gets a copy that it can reach. */
function chooseBinaries(binaries: Binaries, account: Account): Binaries {
  if (canEnter(account, join(binaries.folder, 'bin'))) {
    tryBinaries(binaries, account);
    return binaries;
  }
  const copy = { ...binaries, folder: join(getOpenFolder(), `postgres-${binaries.version}`) };
  if (!existsSync(copy.folder)) {
    const unfinished = `${copy.folder}.${process.pid}`;
    // Static libraries are a third of the package, and a running server does not need them.
    cpSync(binaries.folder, unfinished, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith('.a'),
    });
    renameSync(unfinished, copy.folder);
  }
  tryBinaries(copy, account);
  return copy;
}

function moveAway(dataDir: string): string {
  const folder = join(getOpenFolder(), createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const home = join(folder, HOME);
  writeFileSync(join(dataDir, NOTE), `${home}\n`);
  return home;
}

/** A folder that belongs to root and that every account can enter. */
function getOpenFolder(): string {
  for (const folder of OPEN_FOLDERS) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o755 });
      // Anyone may create folders in /var/tmp: one that does not belong to root could be replaced at any time.
      const found = lstatSync(folder);
      if (found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0) return folder;
    } catch {
      // Read-only: try the next one.
    }
  }
  throw new StartFault(
    'PostgreSQL runs under an unprivileged account that cannot reach this folder, and neither ' +
      `${OPEN_FOLDERS.join(' nor ')} can be used instead. Choose a folder open to everyone: FLORIN_DATA_DIR=/srv/florin npm start`,
  );
}
