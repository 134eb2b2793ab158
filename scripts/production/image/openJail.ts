/**
 * Runs programs with a folder as their root, as a user that is not root and on a read-only file system, except for
 * `/run/florin`, where the processes share the signer's socket, as they share a volume in `deploy/compose.yaml`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

interface Jail {
  start(words: readonly string[], env: Record<string, string>): ChildProcess;
  /** Its exit code and what it printed. */
  run(
    words: readonly string[],
    env?: Record<string, string>,
  ): Promise<{ readonly code: number | null; readonly said: string }>;
}

export function openJail(home: string, user: string, volume: string): Jail {
  const [uid = 0, gid = 0] = user.split(':').map(Number);
  mkdirSync(volume, { recursive: true });
  chownSync(volume, uid, gid);
  mkdirSync(join(home, 'run/florin'), { recursive: true });
  const script = [
    'set -e',
    'mount --bind "$1" "$1"',
    'mount --bind "$2" "$1/run/florin"',
    'mount -o remount,ro,bind "$1"',
    'root=$1; user=$3; shift 3',
    'exec chroot --userspec="$user" --groups= "$root" "$@"',
  ].join('\n');
  const start: Jail['start'] = (words, env) =>
    spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', home, volume, user, ...words], {
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    start,
    run: (words, env = {}) =>
      new Promise((done) => {
        const child = start(words, env);
        let said = '';
        for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (said += text));
        child.once('close', (code) => done({ code, said }));
      }),
  };
}
