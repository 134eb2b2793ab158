import { readFileSync } from 'node:fs';
import { findStartTime, isAlive } from './processes.ts';

const LOOK_EVERY_MS = 250;

/**
 * npm passes on only some signals, and the shell between npm and us none. If npm ends by another signal, we would keep
 * running without a parent. So we poll whether our ancestors still exist, but only if npm started us: a sandbox started
 * by hand may keep running alone.
 */
export function watchParent(env: NodeJS.ProcessEnv, onGone: () => void): void {
  if (env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  const above = [parent, findParent(parent)].filter((pid) => pid !== undefined && pid > 1) as number[];
  const born = new Map(above.map((pid) => [pid, findStartTime(pid)]));
  const timer = setInterval(() => {
    const isHere = (pid: number) => isAlive(pid) && findStartTime(pid) === born.get(pid);
    if (process.ppid === parent && above.every(isHere)) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
}

/**
 * The parent of our parent, if our parent is only the shell in which npm runs us. Linux only; undefined on other
 * systems.
 */
function findParent(pid: number): number | undefined {
  try {
    const isShell = /^\S*sh\0-c\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    return isShell ? Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]) : undefined;
  } catch {
    return undefined;
  }
}
