/**
 * Runs programs with a folder as their root, as users that are not root and on a read-only file system, except for
 * `/run/florin`, the volume with the signer's socket. As a fresh volume of `deploy/compose.yaml`, it has the owner and the
 * mode of the image's folder, and only the signer may write there.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A service of compose.yaml: its user, and its volumes as written there. */
interface Service {
  readonly user?: string;
  readonly volumes: readonly string[];
}

interface Jail {
  start(words: readonly string[], env: Record<string, string>, as?: Service): ChildProcess;
  /** Its exit code and what it printed. */
  run(
    words: readonly string[],
    env?: Record<string, string>,
    as?: Service,
  ): Promise<{ readonly code: number | null; readonly said: string }>;
}

export function openJail(home: string, user: string, volume: string): Jail {
  const { uid, gid, mode } = statSync(join(home, 'run/florin'));
  mkdirSync(volume, { recursive: true });
  chownSync(volume, uid, gid);
  chmodSync(volume, mode);
  const script = [
    'set -e',
    'mount --bind "$1" "$1"',
    'mount --bind "$2" "$1/run/florin"',
    'mount -o "remount,$4,bind" "$1/run/florin"',
    'mount -o remount,ro,bind "$1"',
    'root=$1; user=$3; shift 4',
    'exec chroot --userspec="$user" --groups= "$root" "$@"',
  ].join('\n');
  const start: Jail['start'] = (words, env, as) => {
    const access = as?.volumes.includes('signer:/run/florin') ? 'rw' : 'ro';
    return spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', home, volume, as?.user ?? user, access, ...words], {
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };
  return {
    start,
    run: (words, env = {}, as) =>
      new Promise((done) => {
        const child = start(words, env, as);
        let said = '';
        for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (said += text));
        child.once('close', (code) => done({ code, said }));
      }),
  };
}
