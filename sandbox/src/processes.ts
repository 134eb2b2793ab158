import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * The `node` arguments for a program of this repository, named by its path without the extension: its source, or its
 * location after `npm start` or the tests have built it (`programs/bundlePrograms.ts`).
 */
export function argumentsOf(program: string): string[] {
  const built = process.env.FLORIN_BUILT_PROGRAMS;
  return built ? [join(built, `${program}.js`)] : ['--import', import.meta.resolve('tsx'), join(ROOT, `${program}.ts`)];
}

/** A zombie is not alive. In many containers process 1 does not collect them, so they stay. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return readStat(pid)?.[0] !== 'Z';
}

/** Returns false if it is already gone. */
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

/** Reads the command line from /proc if it exists (small images have no `ps`), otherwise from `ps`. */
export function findCommandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return askPs(pid, 'command=');
  }
}

/** Pids are reused; pid and start time together identify a process. */
export function findStartTime(pid: number): string | undefined {
  return readStat(pid)?.[19] ?? askPs(pid, 'lstart=');
}

/** The fields of /proc/…/stat after the command, which is in brackets and may contain any character. */
function readStat(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  } catch {
    return undefined;
  }
}

/** Processes whose working directory is in `folder`. Linux only; empty on other systems. */
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
