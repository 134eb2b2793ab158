import type { Network, NetworkAsset } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { type Credit, decideArrivals, decideTold } from './decideArrivals.ts';
import { lookBack, noteNew, noteOwnedNow, type TakePage } from './noteArrivals.ts';
import { takePage } from './takePage.ts';

/** How much one turn does. */
export interface Pace {
  /** Of each list. */
  readonly mostPages: number;
  /** Then it ends, so that sends do not wait for many arrivals; each part has done one step at least. */
  readonly passMs: number;
}

const PACE: Pace = { mostPages: 40, passMs: 3_000 };

/**
 * Coins that came to wallets of ours, as their provider tells. What its list tells is decided, once, in one commit with what
 * follows from it (`credit`). What the list does not tell yet is noted (`open_arrivals`) and asked for by its id until it can
 * be decided; dust is noted too, and never goes before other arrivals. What does not fit into this turn the next one goes on
 * with. The past is looked at last: it never keeps what is new waiting.
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
    takePage(app.db, network, page, untilMs, (arrival) => decideTold(app, network, asset, arrival, credit));
  // A long list leaves time for what it has not told.
  await noteNew(app, network, { mostPages, untilMs: begunMs + passMs / 2 }, take);
  await decideArrivals(app, network, asset, credit, begunMs + passMs);
  await lookBack(app, network, { mostPages, untilMs: begunMs + passMs }, take);
}
