/** How busy the machine was: a recovery time means nothing without it. */
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

export interface MachineLoad {
  readonly cores: number;
  /** The share of processor time that was in use, in percent. */
  readonly busyPercent: number;
  readonly meanLoad: number;
  readonly highestLoad: number;
}

const SAMPLE_EVERY_MS = 2_000;

export function watchMachine(): { stop(): MachineLoad } {
  const begun = readTicks();
  const loads: number[] = [loadavg()[0]!];
  const sampling = setInterval(() => loads.push(loadavg()[0]!), SAMPLE_EVERY_MS);
  return {
    stop() {
      clearInterval(sampling);
      const { busy, all } = readTicks();
      return {
        cores: cpus().length,
        busyPercent: Math.round((100 * (busy - begun.busy)) / Math.max(1, all - begun.all)),
        meanLoad: Math.round((10 * loads.reduce((sum, load) => sum + load, 0)) / loads.length) / 10,
        highestLoad: Math.round(10 * Math.max(...loads)) / 10,
      };
    },
  };
}

/** The first line of /proc/stat: user, nice, system, idle, iowait, and others. */
function readTicks(): { readonly busy: number; readonly all: number } {
  const ticks = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.trim().split(/\s+/).slice(1).map(Number);
  const all = ticks.reduce((sum, one) => sum + one, 0);
  return { busy: all - ticks[3]! - ticks[4]!, all };
}
