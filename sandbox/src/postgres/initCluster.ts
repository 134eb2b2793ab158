import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findFolderFault } from '../fault.ts';
import type { Home } from './chooseHome.ts';
import { binaryOf } from './findBinaries.ts';

export const SUPERUSER = 'florin';

export const readPassword = (home: Home): string => readFileSync(join(home.folder, 'password'), 'utf8').trim();

/**
 * Creates the cluster and its password once, in a temporary folder that is renamed when it is complete. A killed
 * process leaves that folder, which the next start deletes, but never an incomplete cluster.
 */
export async function initCluster(home: Home, options: { durable: boolean }): Promise<void> {
  if (existsSync(home.folder)) return;
  sweepUnfinished(home);
  const unfinished = `${home.folder}.new-${process.pid}`;
  try {
    mkdirSync(unfinished, { mode: 0o700 });
    const password = join(unfinished, 'password');
    writeFileSync(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
    give(home, unfinished, password);
    await runInitdb(home, unfinished, options.durable);
    // From here on only we need the password: other processes of the server's account must not read it.
    if (home.account) chownSync(password, 0, 0);
    renameSync(unfinished, home.folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw findFolderFault(error, dirname(home.folder)) ?? error;
  }
}

function give(home: Home, ...paths: string[]): void {
  if (home.account) for (const path of paths) chownSync(path, home.account.uid, home.account.gid);
}

function sweepUnfinished(home: Home): void {
  const parent = dirname(home.folder);
  for (const name of readdirSync(parent)) {
    if (name.startsWith(`${basename(home.folder)}.new-`)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function runInitdb(home: Home, folder: string, durable: boolean): Promise<void> {
  const args = [
    `--pgdata=${join(folder, 'data')}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${join(folder, 'password')}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    // PostgreSQL's own Unicode rules: the same order and letter case on every machine, without system locales. They
    // exist since version 17.
    ...(Number.parseInt(home.binaries.version, 10) < 17
      ? []
      : ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']),
    ...(durable ? [] : ['--no-sync']),
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(binaryOf(home.binaries, 'initdb'), args, {
      ...home.account,
      cwd: '/',
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`initdb failed: ${said.trim()}`))));
  });
}
