import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** An ended orphan stays as a zombie where process 1 does not collect them (many containers): that is not alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return readStat(pid)?.[0] !== 'Z';
}

/** False when it is already gone. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

export async function waitForExit(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(25);
  }
  return true;
}

/** /proc where there is one (small images have no `ps`), `ps` elsewhere. */
export function findCommandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return askPs(pid, 'command=');
  }
}

/** Pids are used again; pid and start time together are not. */
export function findStartTime(pid: number): string | undefined {
  return readStat(pid)?.[19] ?? askPs(pid, 'lstart=');
}

/** The fields of /proc/…/stat from the state on: the command before it stands in brackets and may contain anything. */
function readStat(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  } catch {
    return undefined;
  }
}

/** Processes that work inside `folder`. Linux only: elsewhere nobody is found. */
export function findProcessesIn(folder: string): number[] {
  const readCwd = (pid: string) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`);
    } catch {
      return undefined;
    }
  };
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && readCwd(name) === folder)
      .map(Number);
  } catch {
    return [];
  }
}

function askPs(pid: number, column: string): string | undefined {
  const answer = spawnSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' });
  return answer.status === 0 ? answer.stdout.trim() || undefined : undefined;
}
