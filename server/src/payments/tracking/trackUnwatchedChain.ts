import type { Network, NetworkAsset } from '../../custody/network.ts';
import type { CustodyApp } from '../../custody/rail.ts';
import { listDone } from '../../custody/unwatchedChains/listDone.ts';
import { type Pace, readArrivals } from '../../custody/unwatchedChains/readArrivals.ts';
import { lockCursor, openCursor } from '../../custody/watch/cursor.ts';
import type { SeenTransfer } from '../../custody/watch/matchLogs.ts';
import type { Tx } from '../../db/database.ts';
import { applyLogs } from './applyLogs.ts';
import { claimMoves } from './importPayment.ts';

/**
 * One poll of a blockchain that our nodes do not read: its provider's reports are complete. Payments complete, deposits
 * are credited and coins move, as by final logs on other chains: docs/decisions/0040-solana-and-aptos.md. Sends come
 * first, and arrivals take a bounded time, so that many of them do not delay a send.
 */
export async function trackUnwatchedChain(app: CustodyApp, network: Network, pace?: Pace): Promise<void> {
  await openCursor(app, network, await network.chain.getFinalized());
  await claimMoves(app, network);
  for (const asset of network.assets) {
    await app.db.tx(async (tx) => {
      // One worker at a time, so that a completed transfer is applied once.
      await lockCursor(tx, network.networkId);
      await apply(tx, network, asset, await listDone(tx, network, asset));
    });
    await readArrivals(app, network, asset, (tx, seen) => apply(tx, network, asset, [seen]), pace);
  }
}

async function apply(tx: Tx, network: Network, asset: NetworkAsset, seen: readonly SeenTransfer[]): Promise<void> {
  if (seen.length === 0) return;
  const logs = { asset, seen, heldBefore: [], heldNow: [], canceled: [], recovered: new Set<string>() };
  await applyLogs(tx, network, [logs], new Map());
}
