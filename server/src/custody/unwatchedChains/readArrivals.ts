import type { Network, NetworkAsset } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { type Credit, decideArrival, decideArrivals } from './decideArrivals.ts';
import { noteEarlier, noteNew, noteOwnedNow, type TakePage } from './noteArrivals.ts';
import { takePage } from './takePage.ts';

/** The amount of work in one pass. */
export interface Pace {
  /** The most pages of each list. */
  readonly mostPages: number;
  /** After this time the pass ends, so that sends do not wait for many arrivals. Each part does at least one step. */
  readonly passMs: number;
}

const PACE: Pace = { mostPages: 40, passMs: 3_000 };

/**
 * Reads coins that arrived in our wallets, as their provider reports. An arrival that the list describes completely is
 * decided once, in one commit with its consequences (`credit`). Other arrivals are recorded (`open_arrivals`) and
 * requested by id until they can be decided; dust is recorded too, and is handled after all other arrivals. The next
 * pass continues with the rest. Older arrivals come last, so they never delay new ones.
 */
export async function readArrivals(
  app: Pick<CustodyApp, 'db' | 'signer'>,
  network: Network,
  asset: NetworkAsset,
  credit: Credit,
  { mostPages, passMs }: Pace = PACE,
): Promise<void> {
  const begunMs = performance.now();
  await noteOwnedNow(app.db, network);
  const take: TakePage = (page, untilMs) =>
    takePage(app.db, network, page, untilMs, (arrival) => decideArrival(app, network, asset, arrival, credit));
  // Leave time for arrivals that a long list did not describe completely.
  await noteNew(app, network, { mostPages, untilMs: begunMs + passMs / 2 }, take);
  await decideArrivals(app, network, asset, credit, begunMs + passMs);
  await noteEarlier(app, network, { mostPages, untilMs: begunMs + passMs }, take);
}
