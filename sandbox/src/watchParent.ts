import { readFileSync } from 'node:fs';
import { findStartTime, isAlive } from './processes.ts';

const LOOK_EVERY_MS = 250;

/**
 * npm passes only some signals on, and the shell between it and us none: when it is ended by another one we would be
 * left running without anybody. So we look whether those above us are still there. Only when npm has started us: by
 * hand, one may well leave the sandbox running alone.
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

/** The parent of our parent, if our parent is only the shell that npm runs us in. Linux only: undefined elsewhere. */
function findParent(pid: number): number | undefined {
  try {
    const isShell = /^\S*sh\0-c\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    return isShell ? Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]) : undefined;
  } catch {
    return undefined;
  }
}
