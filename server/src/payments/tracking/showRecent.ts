import type { TokenLog } from '../../core/ports.ts';
import { showPending } from '../../custody/coins/creditDeposits.ts';
import type { Network } from '../../custody/network.ts';
import { type CustodyApp, placeOf } from '../../custody/rail.ts';
import { findWallets, pickOurs, type WalletsByAddress } from '../../custody/watch/findWallets.ts';
import { type KeptBlock, keptBlocksOf, listBranch, readBlocks } from '../../custody/watch/keptBlocks.ts';
import { isDeposit, matchLogs, type SeenTransfer } from '../../custody/watch/matchLogs.ts';
import type { ChainView } from '../../custody/watch/readChain.ts';
import type { Db } from '../../db/database.ts';
import { lockPayments } from '../sends/finishPayment.ts';
import { advancePayments } from '../state.ts';
import { isOf } from './applyLogs.ts';

/** The part of a block that people were shown, stored so that nothing is written while nothing changes. */
interface ShownBlock {
  readonly ours: readonly TokenLog[];
  /** All its coins come from outside, so none of them can turn out to be a move later. */
  readonly isOnlyIncoming: boolean;
  /** The deposits and payments in it, as text; undefined before the first time. */
  shown: string | undefined;
}

interface Shown {
  /** By hash: the branch that was shown last. */
  blocks: ReadonlyMap<string, ShownBlock>;
}

/** Per database, because each database must be written to separately. */
const shownTo = new WeakMap<Db, Map<number, Shown>>();

/** Blocks that may still be replaced: deposits are pending, payments CONFIRMED. */
export async function showRecent(app: CustodyApp, network: Network, { to, head }: ChainView): Promise<void> {
  const { chain, networkId } = network;
  const kept = keptBlocksOf(chain);
  try {
    await readBlocks(chain, kept, head, to.number);
  } catch (error) {
    // Nodes do not have the block yet, or have replaced it. What was read is shown; the rest follows in the next poll.
    if ((error as { code?: string }).code !== 'service.unavailable') throw error;
  }
  const byNetwork = shownTo.get(app.db) ?? new Map<number, Shown>();
  shownTo.set(app.db, byNetwork);
  const before = byNetwork.get(networkId);
  const blocks = await findOurs(app, networkId, listBranch(kept, head, to.number), before);
  await show(app, network, blocks, before);
  byNetwork.set(networkId, { blocks });
}

async function findOurs(
  app: CustodyApp,
  networkId: number,
  branch: readonly KeptBlock[],
  before: Shown | undefined,
): Promise<Map<string, ShownBlock>> {
  const news = branch.filter(({ block }) => !before?.blocks.has(block.hash));
  const all = news.flatMap(({ logs }) => logs);
  const wallets = await findWallets(app.db, networkId, all);
  return new Map(
    branch.map(({ block, logs }) => {
      const known = before?.blocks.get(block.hash);
      if (known) return [block.hash, known];
      const ours = pickOurs(logs, wallets);
      const isOnlyIncoming = ours.every((log) => log.kind === 'transfer' && !wallets.has(log.from.toLowerCase()));
      return [block.hash, { ours, isOnlyIncoming, shown: undefined }];
    }),
  );
}

async function show(
  app: CustodyApp,
  network: Network,
  blocks: ReadonlyMap<string, ShownBlock>,
  before: Shown | undefined,
): Promise<void> {
  const open = [...blocks].filter(([, one]) => one.shown === undefined || !one.isOnlyIncoming);
  const logs = open.flatMap(([, one]) => one.ours);
  const wallets = await findWallets(app.db, network.networkId, logs);
  const found = await match(app, network, logs, wallets);
  const words = new Map<string, string[]>();
  for (const one of found.flatMap(({ seen }) => seen)) {
    const list = words.get(one.log.blockHash) ?? [];
    words.set(one.log.blockHash, list);
    if (isDeposit(one) || one.move) list.push(`${placeOf(one.log)} ${isDeposit(one)} ${one.move?.moveId}`);
  }
  const wordsOf = (hash: string) => words.get(hash)?.join() ?? '';
  const changed = new Set(open.filter(([hash, one]) => one.shown !== wordsOf(hash)).map(([hash]) => hash));
  const isNews = [...changed].some((hash) => wordsOf(hash) !== '' || blocks.get(hash)!.shown);
  const isGone = !before || [...before.blocks].some(([hash, one]) => one.shown && !blocks.has(hash));
  if (isNews || isGone) await write(app, found, changed, [...blocks.keys()]);
  for (const hash of changed) blocks.get(hash)!.shown = wordsOf(hash);
}

interface FoundOf {
  readonly assetId: number;
  readonly seen: readonly SeenTransfer[];
}

async function match(
  app: CustodyApp,
  network: Network,
  logs: readonly TokenLog[],
  wallets: WalletsByAddress,
): Promise<FoundOf[]> {
  const found: FoundOf[] = [];
  for (const asset of network.assets) {
    const { seen } = await matchLogs(app.db, app.rails, asset, logs.filter(isOf(asset)), wallets);
    found.push({ assetId: asset.assetId, seen });
  }
  return found;
}

async function write(
  app: CustodyApp,
  found: readonly FoundOf[],
  changed: ReadonlySet<string>,
  all: readonly string[],
): Promise<void> {
  const unchanged = all.filter((hash) => !changed.has(hash));
  const isChanged = ({ log }: SeenTransfer) => changed.has(log.blockHash);
  const mined = found
    .flatMap(({ seen }) => seen.filter(isChanged))
    .flatMap(({ move, log }) =>
      move?.purpose === 'send' ? [{ paymentId: move.moveId, state: 'CONFIRMED' as const, txHash: log.txHash }] : [],
    );
  await app.db.tx(async (tx) => {
    await lockPayments(
      tx,
      mined.map((one) => one.paymentId),
    );
    await advancePayments(tx, mined);
    for (const { assetId, seen } of found) await showPending(tx, assetId, unchanged, seen.filter(isChanged));
  });
}
