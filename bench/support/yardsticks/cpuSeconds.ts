/** CPU time of processes, from `/proc`: NaN on other systems than Linux. */
import { readdirSync, readFileSync } from 'node:fs';

/** Ticks per second of `/proc`: the same on every Linux that Node supports. */
const TICKS = 100;

interface Stat {
  readonly parent: number;
  readonly own: number;
  /** Of children that have ended. */
  readonly ended: number;
}

/** Of this process, without its children. */
export const readCpuSeconds = (pid: number): number => (isLinux() ? (readStat(pid)?.own ?? 0) / TICKS : Number.NaN);

/** Of the children of this process that have ended, such as load generators. */
export const readEndedCpuSeconds = (pid: number): number =>
  isLinux() ? (readStat(pid)?.ended ?? 0) / TICKS : Number.NaN;

/** Of the children of this process that are alive and run such a command. */
export function readChildrenCpuSeconds(pid: number, command: RegExp): number {
  if (!isLinux()) return Number.NaN;
  const ticks = listProcesses()
    .filter((one) => readStat(one)?.parent === pid && command.test(readCommand(one)))
    .reduce((sum, one) => sum + (readStat(one)?.own ?? 0), 0);
  return ticks / TICKS;
}

/** Of a PostgreSQL server: its first process, and all of its children, alive or ended. */
export function readPostgresCpuSeconds(postmaster: number): number {
  if (!isLinux()) return Number.NaN;
  const ticks = listProcesses().reduce((sum, pid) => {
    const stat = readStat(pid);
    if (!stat) return sum;
    if (pid === postmaster) return sum + stat.own + stat.ended;
    return stat.parent === postmaster ? sum + stat.own : sum;
  }, 0);
  return ticks / TICKS;
}

const listProcesses = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Empty when the process has ended. */
function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const isLinux = (): boolean => process.platform === 'linux';

/** Undefined when the process has ended. */
function readStat(pid: number): Stat | undefined {
  try {
    // Beginning with the state, because the name before it may contain spaces.
    const words = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ').map(Number);
    return { parent: words[1]!, own: words[11]! + words[12]!, ended: words[13]! + words[14]! };
  } catch {
    return undefined;
  }
}
