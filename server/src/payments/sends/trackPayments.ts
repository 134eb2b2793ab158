import type { Hex, TokenLog } from '../../core/ports.ts';
import { creditDeposits, readWalletAccounts, showPending } from '../../custody/coins/creditDeposits.ts';
import { moveCoins } from '../../custody/coins/moveCoins.ts';
import type { Send } from '../../custody/coins/reserveSend.ts';
import { insertAuthorization, nonceOf } from '../../custody/eip3009/authorizations.ts';
import type { CustodyApp, Network } from '../../custody/network.ts';
import { type Canceled, isDeposit, type Matched, type Move, matchLogs } from '../../custody/watch/matchLogs.ts';
import { type ChainView, moveCursor, readChain } from '../../custody/watch/readChain.ts';
import { bearLosses, rewindChain } from '../../custody/watch/rewindChain.ts';
import { rememberCancellations } from '../../custody/watch/strangeMoves.ts';
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
  if (view.recent) await showRecent(app, network, view.recent, view.wallets);
  return view.recent === undefined && view.to.number > view.cursor.number && view.to.number < view.head.number;
}

async function applyFinal(app: CustodyApp, network: Network, view: ChainView): Promise<void> {
  const { assetId } = network;
  const feeOf = await readFees(network, view.final);
  await app.db.tx(async (tx) => {
    if (!(await moveCursor(tx, assetId, view))) return;
    await rememberPromises(tx, assetId, view.final);
    const matched = await matchLogs(tx, view.final, view.wallets);
    const sends = matched.moves.filter((move) => move.authorization?.purpose === 'send');
    const canceled = matched.canceled.filter((one) => one.authorization.purpose === 'send');
    const holds = await lockPayments(tx, [...sends.map(idOf), ...canceled.map(cancelledIdOf)]);
    const accounts = await readWalletAccounts(
      tx,
      assetId,
      matched.moves.filter(isDeposit).map((move) => move.toWallet!),
    );
    const touched = [...holds.values()].flatMap((hold) => [hold.debitAccount, hold.creditAccount]);
    if (touched.length + accounts.size > 0) {
      const chainAccount = await openHouseAccount(tx, assetId, 'chain');
      await lockAccounts(tx, [chainAccount, ...touched, ...accounts.values()]);
    }
    const paid = sends.map((move): PaidPayment => {
      const { txHash } = move.log;
      return { paymentId: idOf(move), txHash, networkFee: feeOf.get(txHash) };
    });
    const doubled = await completePayments(tx, holds, paid);
    if (doubled.length > 0) {
      const reason = `paid although its hold was released: ${doubled.join(', ')}`;
      await pauseSends(tx, network.chain.blockchain, 'unexplained', reason);
    }
    await creditDeposits(tx, assetId, matched.moves, accounts);
    await moveCoins(tx, network, matched);
    await endCanceled(tx, matched);
    await rememberCancellations(tx, assetId, matched.forgotten);
    await bearLosses(tx, network);
    for (const one of canceled) await releaseCanceled(tx, network, holds.get(cancelledIdOf(one))!, one.txHash);
  });
}

/**
 * A database restored from between a payment's acceptance and its promise knows the payment, but not that it was
 * signed, let alone approved. Its nonce follows from its id: what the chain used or cancelled is recognized, and ends it.
 */
async function rememberPromises(tx: Tx, assetId: number, logs: readonly TokenLog[]): Promise<void> {
  const seen = new Map(logs.flatMap((log) => (log.kind === 'transfer' ? [] : [[log.nonce, log] as const])));
  if (seen.size === 0) return;
  const open = await tx.query<Send & { address: string }>(
    `SELECT p.payment_id AS "paymentId", t.asset_id AS "assetId", p.wallet_id AS "walletId", p.destination, t.amount,
            w.address
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id JOIN wallets w ON w.wallet_id = p.wallet_id
      WHERE t.asset_id = $1 AND p.state IN ('INITIATED', 'CLEARED')
        AND NOT EXISTS (SELECT FROM authorizations a WHERE a.authorization_id = p.payment_id)`,
    [assetId],
  );
  for (const { paymentId, walletId, destination, amount, address } of open) {
    const log = seen.get(nonceOf(paymentId));
    if (!log) continue;
    await insertAuthorization(tx, {
      authorizationId: paymentId,
      assetId,
      walletId,
      fromAddress: address,
      toAddress: destination,
      value: amount,
      reserved: 0n,
      done: { state: log.kind === 'used' ? 'used' : 'dead', txHash: log.txHash, blockNumber: log.blockNumber },
    });
  }
}

const idOf = (move: Move): string => move.authorization!.authorizationId;
const cancelledIdOf = (canceled: Canceled): string => canceled.authorization.authorizationId;

async function endCanceled(tx: Tx, { canceled }: Matched): Promise<void> {
  if (canceled.length === 0) return;
  await tx.query(
    `UPDATE authorizations SET state = 'dead', reserved = 0 WHERE authorization_id = ANY ($1) AND state = 'open'`,
    [canceled.map(cancelledIdOf)],
  );
}

/** What is COMPLETE stays so; a chain that took the payment back below finality and cancelled it instead is for people. */
async function releaseCanceled(tx: Tx, { chain }: Network, hold: Hold, txHash: string): Promise<void> {
  const [posted] = await tx.query(`SELECT FROM transfers WHERE hold_id = $1 AND kind = 'post'`, [hold.paymentId]);
  const reason = `cancelled on chain although it was paid: ${hold.paymentId}`;
  if (posted) await pauseSends(tx, chain.blockchain, 'unexplained', reason);
  else await releasePayment(tx, hold, 'CANCELLED', 'cancelled on chain', txHash);
}

const WEI_PER_MICRO = 1_000_000_000_000n;

/** Each payment's equal share of what its chain transaction cost, rounded up; what cannot be had is left out. */
async function readFees(network: Network, logs: readonly TokenLog[]): Promise<Map<Hex, bigint>> {
  const payments = new Map<Hex, bigint>();
  for (const log of logs) if (log.kind === 'used') payments.set(log.txHash, (payments.get(log.txHash) ?? 0n) + 1n);
  const fees = new Map<Hex, bigint>();
  for (const [txHash, count] of payments) {
    const receipt = await network.chain.findReceipt(txHash);
    if (receipt) fees.set(txHash, (receipt.feeWei + count * WEI_PER_MICRO - 1n) / (count * WEI_PER_MICRO));
  }
  return fees;
}

async function showRecent(
  app: CustodyApp,
  network: Network,
  logs: readonly TokenLog[],
  wallets: ReadonlyMap<string, string>,
): Promise<void> {
  const { moves } = await matchLogs(app.db, logs, wallets);
  const seen = moves.filter((move) => move.authorization?.purpose === 'send');
  await app.db.tx(async (tx) => {
    await lockPayments(tx, seen.map(idOf));
    await advancePayments(
      tx,
      seen.map((move) => ({ paymentId: idOf(move), state: 'CONFIRMED', txHash: move.log.txHash })),
    );
    await showPending(tx, network.assetId, moves);
  });
}
