import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain, Rates } from '../core/ports.ts';
import type { Db } from '../db/database.ts';
import { refreshBalances } from './refreshBalances.ts';
import { refreshRates } from './refreshRates.ts';

interface WarmApp {
  readonly db: Db;
  readonly chains: readonly Chain[];
  readonly rates: readonly Rates[];
}

interface WarmOptions {
  readonly balancesEveryMs: number;
  readonly ratesEveryMs: number;
  readonly signal: AbortSignal;
  /** Called for every failed attempt. */
  readonly onFault: (what: string, fault: Error) => void;
  readonly onWork: (what: string) => void;
}

/**
 * Runs until the signal is aborted. A chain or source that fails is tried again in the next interval and does not delay
 * the others.
 */
export async function keepOverviewWarm(app: WarmApp, options: WarmOptions): Promise<void> {
  const { signal } = options;
  /** The names of those that failed last time. */
  let rates: ReadonlySet<string> = new Set();

  async function repeat(what: string, everyMs: number, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        await work();
        options.onWork(what);
      } catch (error) {
        report(what, error as Error);
      }
      await sleep(everyMs, undefined, { signal }).catch(() => {});
    }
  }

  function report(what: string, fault: Error): void {
    if (!signal.aborted) options.onFault(what, fault);
  }

  await Promise.all([
    ...app.chains.map((chain) =>
      repeat(`balances on ${chain.blockchain}`, options.balancesEveryMs, () =>
        // Shorter than the interval, so that a process does not skip an interval because of its own last reading.
        refreshBalances({ db: app.db, chain }, options.balancesEveryMs * 0.8),
      ),
    ),
    repeat('rates', options.ratesEveryMs, async () => {
      const faulty = new Set<string>();
      await refreshRates(app, (pair, fault) => {
        faulty.add(`rate ${pair}`);
        report(`rate ${pair}`, fault);
      });
      for (const what of rates) if (!faulty.has(what)) options.onWork(what);
      rates = faulty;
    }),
  ]);
}
