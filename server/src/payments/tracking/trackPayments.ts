import type { Chain, Hex } from '../../core/ports.ts';
import type { Network } from '../../custody/network.ts';
import { type CustodyApp, distinctRails } from '../../custody/rail.ts';
import {
  type LogPosition,
  lockCursor,
  lockSame,
  moveCursor,
  movePart,
  noteHeadNumber,
} from '../../custody/watch/cursor.ts';
import { cutLogs, type LogChunk } from '../../custody/watch/cutLogs.ts';
import { hasHeld } from '../../custody/watch/heldLogs.ts';
import { countNewWallets } from '../../custody/watch/newWallets.ts';
import { type ChainView, readChain } from '../../custody/watch/readChain.ts';
import { bearLosses, rewindChain } from '../../custody/watch/rewindChain.ts';
import { adoptUnexplained } from '../../custody/watch/unexplainedMoves.ts';
import type { Tx } from '../../db/database.ts';
import { type AssetLogs, applyLogs, interpretLogs, openReceivers } from './applyLogs.ts';
import { claimMoves } from './importPayment.ts';
import { rescanSome } from './rescanWallet.ts';
import { showRecent } from './showRecent.ts';

/** The number of logs that one commit applies. It locks the accounts that it touches, and their owners want to pay. */
const MAX_CHUNK = 500;

/**
 * Halved when a chunk could not be applied, down to one log, so that a log that cannot be applied delays nothing before
 * it.
 */
const chunkOf = new WeakMap<Chain, number>();

/**
 * One poll of a blockchain. Final blocks are applied in small commits together with the cursor: payments complete,
 * deposits are credited, coins move, so ledger and custody never disagree in between. Younger blocks only change what
 * people see. Returns whether there is more to do immediately.
 */
export async function trackPayments(app: CustodyApp, network: Network): Promise<boolean> {
  await countNewWallets(app, network);
  const view = await readChain(app, network);
  if (view === undefined) return false;
  if (view === 'reorg') return rewindChain(app, network);
  if (view.to.number > view.cursor.number) {
    // Another worker was faster, or wallets were rescanned since: logs that were not applied are read again.
    if (!(await applyFinal(app, network, view))) return true;
  } else if (await hasHeld(app.db, network)) await applyHeld(app, network);
  while (await bearLosses(app, network));
  if (!view.isCaughtUp) return true;
  if (view.head.number !== view.cursor.headNumber) await noteHeadNumber(app.db, network.networkId, view.head);
  await showRecent(app, network, view);
  if (await rescanSome(app, network)) return true;
  await adoptUnexplained(app, network);
  await claimMoves(app, network);
  return false;
}

async function applyFinal(app: CustodyApp, network: Network, view: ChainView): Promise<boolean> {
  const { chain } = network;
  const size = chunkOf.get(chain) ?? MAX_CHUNK;
  const chunks = cutLogs(view.logs, view.applied, size);
  let part = view.cursor.part;
  try {
    for (const chunk of chunks) {
      const applied = await applyChunk(app, network, { ...view, part }, chunk, chunk === chunks.at(-1));
      if (!applied) return false;
      part = applied.part;
    }
  } catch (error) {
    chunkOf.set(chain, Math.max(1, Math.floor(size / 2)));
    throw error;
  }
  chunkOf.set(chain, Math.min(MAX_CHUNK, size * 2));
  return true;
}

/** Undefined if the cursor has moved. */
async function applyChunk(
  app: CustodyApp,
  network: Network,
  { cursor, part, to, logs, wallets }: ChainView & { readonly part: LogPosition | undefined },
  chunk: LogChunk,
  isLast: boolean,
): Promise<{ readonly part: LogPosition | undefined } | undefined> {
  const fees = new Map<Hex, bigint>();
  const hashes = new Set(chunk.logs.map((log) => log.txHash));
  const whole = logs.filter((log) => hashes.has(log.txHash));
  for (const rail of distinctRails(app.rails)) {
    for (const [hash, fee] of await rail.readFees(app, network, whole)) fees.set(hash, fee);
  }
  await openReceivers(app.db, network, chunk, wallets);
  return app.db.tx(async (tx) => {
    if (!(await lockSame(tx, network.networkId, { ...cursor, part }))) return undefined;
    const moved = isLast ? undefined : await movePart(tx, network.networkId, chunk.logs.at(-1)!, to);
    if (isLast) await moveCursor(tx, network.networkId, to);
    const found: AssetLogs[] = [];
    for (const asset of network.assets) found.push(await interpretLogs(tx, app, asset, chunk, wallets));
    await applyLogs(tx, network, found, fees);
    return { part: moved };
  });
}

/** Nothing new is final, but a provider may have identified held transfers. */
const applyHeld = (app: CustodyApp, network: Network): Promise<void> =>
  app.db.tx(async (tx: Tx) => {
    await lockCursor(tx, network.networkId);
    const found: AssetLogs[] = [];
    for (const asset of network.assets) {
      found.push(await interpretLogs(tx, app, asset, { logs: [], earlier: [] }, new Map()));
    }
    await applyLogs(tx, network, found, new Map());
  });
