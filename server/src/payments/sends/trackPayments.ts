import type { Hex, TokenLog } from '../../core/ports.ts';
import { creditDeposits, readWalletAccounts, showPending } from '../../custody/coins/creditDeposits.ts';
import { endCanceled } from '../../custody/coins/endMove.ts';
import { moveCoins } from '../../custody/coins/moveCoins.ts';
import type { Network } from '../../custody/network.ts';
import { type CustodyApp, distinctRails } from '../../custody/rail.ts';
import { hasHeld, readHeld, replaceHeld } from '../../custody/watch/heldLogs.ts';
import { isDeposit, type Matched, matchLogs } from '../../custody/watch/matchLogs.ts';
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
  else if (await hasHeld(app.db, network.assetId)) await applyHeld(app, network);
  if (view.recent) await showRecent(app, network, view.recent, view.wallets);
  return view.recent === undefined && view.to.number > view.cursor.number && view.to.number < view.head.number;
}

async function applyFinal(app: CustodyApp, network: Network, view: ChainView): Promise<void> {
  const rails = distinctRails(app.rails);
  const fees = new Map<Hex, bigint>();
  for (const rail of rails) for (const [hash, fee] of await rail.readFees(network, view.final)) fees.set(hash, fee);
  await app.db.tx(async (tx) => {
    if (!(await moveCursor(tx, network.assetId, view))) return;
    for (const rail of rails) await rail.learn(tx, network, view.final);
    const held = await readHeld(tx, network.assetId);
    const matched = await matchLogs(tx, app.rails, network, view.final, view.wallets, held);
    await apply(tx, network, matched, fees);
    await replaceHeld(
      tx,
      network.assetId,
      held,
      matched.seen.filter((one) => one.isHeld),
    );
    await bearLosses(tx, network);
  });
}

/** Nothing new is final, but a provider may have told whose the held transfers are. */
async function applyHeld(app: CustodyApp, network: Network): Promise<void> {
  await app.db.tx(async (tx) => {
    await lockCursor(tx, network.assetId);
    const held = await readHeld(tx, network.assetId);
    const matched = await matchLogs(tx, app.rails, network, [], new Map(), held);
    const still = matched.seen.filter((one) => one.isHeld);
    if (still.length === held.length) return;
    await apply(tx, network, matched, new Map());
    await replaceHeld(tx, network.assetId, held, still);
  });
}

/** What is final and known: payments, accounts and coins follow, in this order of locks. */
async function apply(tx: Tx, network: Network, matched: Matched, fees: ReadonlyMap<string, bigint>): Promise<void> {
  const { assetId, chain } = network;
  const seen = matched.seen.filter((one) => !one.isHeld);
  const paid = seen.flatMap(({ move, log }): PaidPayment[] =>
    move?.purpose === 'send' ? [{ paymentId: move.moveId, txHash: log.txHash, networkFee: fees.get(log.txHash) }] : [],
  );
  const canceled = matched.canceled.filter(({ move }) => move.purpose === 'send');
  const holds = await lockPayments(tx, [
    ...paid.map((one) => one.paymentId),
    ...canceled.map(({ move }) => move.moveId),
  ]);
  const accounts = await readWalletAccounts(
    tx,
    assetId,
    seen.filter(isDeposit).map((one) => one.toWallet!),
  );
  const touched = [...holds.values()].flatMap((hold) => [hold.debitAccount, hold.creditAccount]);
  if (touched.length + accounts.size > 0) {
    const chainAccount = await openHouseAccount(tx, assetId, 'chain');
    await lockAccounts(tx, [chainAccount, ...touched, ...accounts.values()]);
  }
  const doubled = await completePayments(tx, holds, paid);
  if (doubled.length > 0) {
    const reason = `paid although its hold was released: ${doubled.join(', ')}`;
    await pauseSends(tx, chain.blockchain, 'unexplained', reason);
  }
  await creditDeposits(tx, assetId, seen, accounts);
  await moveCoins(tx, network, seen);
  await endCanceled(tx, matched.canceled);
  for (const { move, txHash } of canceled) await releaseCanceled(tx, network, holds.get(move.moveId)!, txHash);
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
  const { seen } = await matchLogs(app.db, app.rails, network, logs, wallets);
  const mined = seen.flatMap(({ move, log }) =>
    move?.purpose === 'send' ? [{ paymentId: move.moveId, state: 'CONFIRMED' as const, txHash: log.txHash }] : [],
  );
  await app.db.tx(async (tx) => {
    await lockPayments(
      tx,
      mined.map((one) => one.paymentId),
    );
    await advancePayments(tx, mined);
    await showPending(tx, network.assetId, seen);
  });
}
