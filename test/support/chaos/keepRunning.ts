/** A process that is started again whenever it ends, as systemd or Kubernetes would. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readCpuSeconds } from '../../../bench/support/yardsticks/cpuSeconds.ts';
import type { RunningProcess } from '../upgrade/fleet.ts';

export interface KeptProcess {
  readonly name: string;
  /** It reported that it is ready, and has not ended since. */
  readonly isReady: boolean;
  /** Its last output before each end that was not ours. */
  readonly deaths: readonly string[];
  /** Starts that failed, for example because PostgreSQL did not answer, with the last output. */
  readonly failedStarts: readonly string[];
  /** kill -9 of a process that is ready. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Undefined while it is not ready. */
  readonly pid: number | undefined;
  /** Processor time in seconds. */
  readonly cpu: { starts: number; toReady: number; afterwards: number };
  /** `started`: a start begins, which can fail. */
  onNews(listener: (news: 'started' | 'ready') => void): void;
  /** It is not started again. */
  release(): void;
}

const RESTART_AFTER_MS = 100;

/** Resolves when it is ready for the first time. */
export async function keepRunning(name: string, start: () => Promise<RunningProcess>): Promise<KeptProcess> {
  const deaths: string[] = [];
  const failedStarts: string[] = [];
  const listeners: ((news: 'started' | 'ready') => void)[] = [];
  let current: RunningProcess | undefined = await start();
  let isExpected = false;
  const cpu = { starts: 0, toReady: 0, afterwards: 0 };
  let readyCpu = readCpuSeconds(current.pid);
  let isReleased = false;

  async function keep(): Promise<void> {
    while (!isReleased) {
      const said = await current!.ended;
      current = undefined;
      if (!isExpected && !isReleased) deaths.push(`${name} ended by itself: ${said.slice(-1_500)}`);
      isExpected = false;
      while (!current && !isReleased) {
        for (const listener of listeners) listener('started');
        current = await start().catch((error: Error) => {
          failedStarts.push(error.message);
          return undefined;
        });
        if (!current) await sleep(RESTART_AFTER_MS);
      }
      if (current) {
        readyCpu = readCpuSeconds(current.pid);
        cpu.starts++;
        cpu.toReady += readyCpu;
      }
      if (current) for (const listener of listeners) listener('ready');
    }
  }
  void keep();
  return {
    name,
    get isReady() {
      return current !== undefined && !isExpected;
    },
    deaths,
    failedStarts,
    async kill() {
      isExpected = true;
      cpu.afterwards += readCpuSeconds(current!.pid) - readyCpu;
      await current!.kill();
    },
    cpu,
    get pid() {
      return current?.pid;
    },
    onNews: (listener) => void listeners.push(listener),
    release() {
      isReleased = true;
    },
  };
}
