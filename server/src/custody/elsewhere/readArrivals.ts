import type { Network, NetworkAsset } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { type Credit, decideArrivals } from './decideArrivals.ts';
import { lookBack, noteNew, noteOwnedNow } from './noteArrivals.ts';

/** How much one turn does. */
export interface Pace {
  /** Of each list. */
  readonly mostPages: number;
  /** Then it ends, so that sends do not wait for many arrivals; each part has done one step at least. */
  readonly passMs: number;
}

const PACE: Pace = { mostPages: 10, passMs: 3_000 };

/**
 * Coins that came to wallets of ours, as their provider tells. What it lists is noted (`open_arrivals`); then each is asked
 * for by its id, until what that says can be decided, once, in one commit with what follows from it (`credit`). What does
 * not fit into this turn the next one goes on with. The past is looked at last: it never keeps what is new waiting.
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
  // A long list leaves time to decide what it has brought.
  await noteNew(app, network, { mostPages, untilMs: begunMs + passMs / 3 });
  await decideArrivals(app, network, asset, credit, begunMs + passMs);
  await lookBack(app, network, { mostPages, untilMs: begunMs + passMs });
}
