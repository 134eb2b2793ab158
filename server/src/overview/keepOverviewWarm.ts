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
  /** Called once when something begins to fail, not at every try. */
  readonly onFault: (what: string, fault: Error) => void;
}

/** Runs until the signal. A chain or source that fails is tried again next time and does not delay the others. */
export async function keepOverviewWarm(app: WarmApp, options: WarmOptions): Promise<void> {
  const { signal } = options;
  const failing = new Set<string>();

  async function repeat(what: string, everyMs: number, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        await work();
        failing.delete(what);
      } catch (error) {
        tell(what, error as Error);
      }
      await sleep(everyMs, undefined, { signal }).catch(() => {});
    }
  }

  function tell(what: string, fault: Error): void {
    if (failing.has(what) || signal.aborted) return;
    failing.add(what);
    options.onFault(what, fault);
  }

  await Promise.all([
    ...app.chains.map((chain) =>
      repeat(`balances on ${chain.blockchain}`, options.balancesEveryMs, () =>
        // Shorter than the interval, so that a process does not skip a turn because of its own last reading.
        refreshBalances({ db: app.db, chain }, options.balancesEveryMs * 0.8),
      ),
    ),
    repeat('rates', options.ratesEveryMs, () => refreshRates(app, (pair, fault) => tell(`rate ${pair}`, fault))),
  ]);
}
