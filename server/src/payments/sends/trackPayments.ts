import type { Hex, TokenLog } from '../../core/ports.ts';
import { creditDeposits, readWalletAccounts, showPending } from '../../custody/coins/creditDeposits.ts';
import { endCanceled } from '../../custody/coins/endMove.ts';
import { moveCoins } from '../../custody/coins/moveCoins.ts';
import type { Network, NetworkAsset } from '../../custody/network.ts';
import { type CustodyApp, distinctRails } from '../../custody/rail.ts';
import { hasHeld, readHeld, replaceHeld } from '../../custody/watch/heldLogs.ts';
import {
  isDeposit,
  type Matched,
  matchLogs,
  type RawTransfer,
  type SeenTransfer,
} from '../../custody/watch/matchLogs.ts';
import { type ChainView, lockCursor, moveCursor, readChain } from '../../custody/watch/readChain.ts';
import { bearLosses, rewindChain } from '../../custody/watch/rewindChain.ts';
import type { Tx } from '../../db/database.ts';
import { openHouseAccount } from '../../ledger/accounts.ts';
import { lockAccounts } from '../../ledger/moveMany.ts';
import { pauseSends } from '../../operators/pauses.ts';
import { advancePayments } from '../state.ts';
import { completePayments, type Hold, lockPayments, type PaidPayment, releasePayment } from './finishPayment.ts';

/**
 * One look at a blockchain. Final blocks are applied in one commit with the cursor: payments complete, deposits are
 * credited, coins move, so ledger and custody never disagree in between. Younger blocks only change what people see.
 * Answers whether there is more to read at once.
 */
export async function trackPayments(app: CustodyApp, network: Network): Promise<boolean> {
  const view = await readChain(app, network);
  if (view === undefined) return false;
  if (view === 'reorg') {
    await pauseSends(app.db, network.chain.blockchain, 'reorg', 'a block that was final has been replaced');
    return rewindChain(app, network);
  }
  if (view.to.number > view.cursor.number) await applyFinal(app, network, view);
  else if (await hasHeld(app.db, network)) await applyHeld(app, network);
  if (view.recent) await showRecent(app, network, view.recent, view.wallets);
  return view.recent === undefined && view.to.number > view.cursor.number && view.to.number < view.head.number;
}

async function applyFinal(app: CustodyApp, network: Network, view: ChainView): Promise<void> {
  const rails = distinctRails(app.rails);
  const fees = new Map<Hex, bigint>();
  for (const rail of rails) for (const [hash, fee] of await rail.readFees(network, view.final)) fees.set(hash, fee);
  await app.db.tx(async (tx) => {
    if (!(await moveCursor(tx, network.networkId, view))) return;
    const found: AssetLook[] = [];
    for (const asset of network.assets) {
      const logs = view.final.filter(isOf(asset));
      for (const rail of rails) await rail.learn(tx, asset, logs, view.wallets);
      found.push(await lookAt(tx, app, asset, logs, view.wallets));
    }
    await apply(tx, network, found, fees);
    await bearLosses(tx, network);
  });
}

/** Nothing new is final, but a provider may have told whose the held transfers are. */
async function applyHeld(app: CustodyApp, network: Network): Promise<void> {
  await app.db.tx(async (tx) => {
    await lockCursor(tx, network.networkId);
    const found: AssetLook[] = [];
    for (const asset of network.assets) found.push(await lookAt(tx, app, asset, [], new Map()));
    await apply(tx, network, found, new Map());
  });
}

/** What is known about one token: from new final logs, and from those that were held until now. */
interface AssetLook {
  readonly assetId: number;
  readonly heldBefore: readonly RawTransfer[];
  readonly heldNow: readonly SeenTransfer[];
  /** Final, and it is known what they are. */
  readonly seen: readonly SeenTransfer[];
  readonly canceled: Matched['canceled'];
}

const isOf =
  ({ contract }: NetworkAsset) =>
  (log: TokenLog): boolean =>
    log.token === contract;

async function lookAt(
  tx: Tx,
  app: CustodyApp,
  asset: NetworkAsset,
  logs: readonly TokenLog[],
  wallets: ReadonlyMap<string, string>,
): Promise<AssetLook> {
  const heldBefore = await readHeld(tx, asset);
  const { seen, canceled } = await matchLogs(tx, app.rails, asset, logs, wallets, heldBefore);
  return {
    assetId: asset.assetId,
    heldBefore,
    heldNow: seen.filter((one) => one.isHeld),
    seen: seen.filter((one) => !one.isHeld),
    canceled,
  };
}

/** Payments, accounts and coins follow. All payments are locked first, then all accounts, then wallets. */
async function apply(
  tx: Tx,
  network: Network,
  found: readonly AssetLook[],
  fees: ReadonlyMap<string, bigint>,
): Promise<void> {
  const canceled = found.flatMap((one) => one.canceled).filter(({ move }) => move.purpose === 'send');
  const holds = await lockPayments(tx, [
    ...found.flatMap(({ seen }) => seen.flatMap(({ move }) => (move?.purpose === 'send' ? [move.moveId] : []))),
    ...canceled.map(({ move }) => move.moveId),
  ]);
  const touched = [...holds.values()].flatMap((hold) => [hold.debitAccount, hold.creditAccount]);
  const credited: ReadonlyMap<string, bigint>[] = [];
  for (const { assetId, seen } of found) {
    const receivers = seen.filter(isDeposit).map((one) => one.toWallet!);
    const accounts = await readWalletAccounts(tx, assetId, receivers);
    credited.push(accounts);
    if (accounts.size > 0) touched.push(await openHouseAccount(tx, assetId, 'chain'), ...accounts.values());
  }
  if (touched.length > 0) await lockAccounts(tx, touched);
  for (const [i, one] of found.entries()) await applyAsset(tx, network, one, credited[i]!, holds, fees);
  for (const { move, txHash } of canceled) await releaseCanceled(tx, network, holds.get(move.moveId)!, txHash);
}

async function applyAsset(
  tx: Tx,
  network: Network,
  { assetId, seen, canceled, heldBefore, heldNow }: AssetLook,
  accounts: ReadonlyMap<string, bigint>,
  holds: ReadonlyMap<string, Hold>,
  fees: ReadonlyMap<string, bigint>,
): Promise<void> {
  const paid = seen.flatMap(({ move, log }): PaidPayment[] =>
    move?.purpose === 'send' ? [{ paymentId: move.moveId, txHash: log.txHash, networkFee: fees.get(log.txHash) }] : [],
  );
  const doubled = await completePayments(tx, holds, paid);
  if (doubled.length > 0) {
    const reason = `paid although its hold was released: ${doubled.join(', ')}`;
    await pauseSends(tx, network.chain.blockchain, 'unexplained', reason);
  }
  await creditDeposits(tx, assetId, seen, accounts);
  await moveCoins(tx, network, assetId, seen);
  await endCanceled(tx, canceled);
  await replaceHeld(tx, assetId, heldBefore, heldNow);
}

/** What is COMPLETE stays so; a chain that took the payment back below finality and cancelled it instead is for people. */
async function releaseCanceled(tx: Tx, { chain }: Network, hold: Hold, txHash: string): Promise<void> {
  const [posted] = await tx.query(`SELECT FROM transfers WHERE hold_id = $1 AND kind = 'post'`, [hold.paymentId]);
  const reason = `cancelled on chain although it was paid: ${hold.paymentId}`;
  if (posted) await pauseSends(tx, chain.blockchain, 'unexplained', reason);
  else await releasePayment(tx, hold, 'CANCELLED', 'cancelled on chain', txHash);
}

async function showRecent(
  app: CustodyApp,
  network: Network,
  logs: readonly TokenLog[],
  wallets: ReadonlyMap<string, string>,
): Promise<void> {
  const found: { readonly assetId: number; readonly seen: readonly SeenTransfer[] }[] = [];
  for (const asset of network.assets) {
    const { seen } = await matchLogs(app.db, app.rails, asset, logs.filter(isOf(asset)), wallets);
    found.push({ assetId: asset.assetId, seen });
  }
  const mined = found
    .flatMap(({ seen }) => seen)
    .flatMap(({ move, log }) =>
      move?.purpose === 'send' ? [{ paymentId: move.moveId, state: 'CONFIRMED' as const, txHash: log.txHash }] : [],
    );
  await app.db.tx(async (tx) => {
    await lockPayments(
      tx,
      mined.map((one) => one.paymentId),
    );
    await advancePayments(tx, mined);
    for (const { assetId, seen } of found) await showPending(tx, assetId, seen);
  });
}
