import type { Hex, TokenLog } from '../../core/ports.ts';
import { creditDeposits, readWalletAccounts, showPending } from '../../custody/coins/creditDeposits.ts';
import { moveCoins } from '../../custody/coins/moveCoins.ts';
import type { Send } from '../../custody/coins/reserveSend.ts';
import { insertAuthorization, nonceOf } from '../../custody/eip3009/authorizations.ts';
import type { CustodyApp, Network, NetworkAsset } from '../../custody/network.ts';
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
  const feeOf = await readFees(network, view.final);
  await app.db.tx(async (tx) => {
    if (!(await moveCursor(tx, network.networkId, view))) return;
    const found: AssetMoves[] = [];
    for (const asset of network.assets) found.push(await matchAsset(tx, asset, view));
    // All payments first, then all accounts: whoever locks several of them does it in that order.
    const holds = await lockPayments(
      tx,
      found.flatMap(({ sends, canceled }) => [...sends.map(idOf), ...canceled.map(cancelledIdOf)]),
    );
    const touched = [...holds.values()].flatMap((hold) => [hold.debitAccount, hold.creditAccount]);
    const credited: ReadonlyMap<string, bigint>[] = [];
    for (const { assetId, matched } of found) {
      const receivers = matched.moves.filter(isDeposit).map((move) => move.toWallet!);
      credited.push(await readWalletAccounts(tx, assetId, receivers));
    }
    for (const [i, one] of found.entries()) touched.push(...(await openAccounts(tx, one, credited[i]!)));
    if (touched.length > 0) await lockAccounts(tx, touched);
    for (const [i, one] of found.entries()) await applyAsset(tx, network, one, credited[i]!, holds, feeOf);
    await bearLosses(tx, network);
    for (const one of found.flatMap(({ canceled }) => canceled)) {
      await releaseCanceled(tx, network, holds.get(cancelledIdOf(one))!, one.txHash);
    }
  });
}

/** What final logs say about one token. */
interface AssetMoves {
  readonly assetId: number;
  readonly matched: Matched;
  readonly sends: readonly Move[];
  readonly canceled: readonly Canceled[];
}

const isOf =
  ({ contract }: NetworkAsset) =>
  (log: TokenLog): boolean =>
    log.token === contract;

async function matchAsset(tx: Tx, asset: NetworkAsset, view: ChainView): Promise<AssetMoves> {
  const { assetId } = asset;
  const logs = view.final.filter(isOf(asset));
  await rememberPromises(tx, assetId, logs);
  const matched = await matchLogs(tx, logs, view.wallets);
  return {
    assetId,
    matched,
    sends: matched.moves.filter((move) => move.authorization?.purpose === 'send'),
    canceled: matched.canceled.filter((one) => one.authorization.purpose === 'send'),
  };
}

/** Those that move although no hold names them. */
async function openAccounts(
  tx: Tx,
  { assetId, sends, canceled }: AssetMoves,
  accounts: ReadonlyMap<string, bigint>,
): Promise<bigint[]> {
  if (sends.length + canceled.length + accounts.size === 0) return [];
  return [await openHouseAccount(tx, assetId, 'chain'), ...accounts.values()];
}

async function applyAsset(
  tx: Tx,
  network: Network,
  { assetId, matched, sends }: AssetMoves,
  accounts: ReadonlyMap<string, bigint>,
  holds: ReadonlyMap<string, Hold>,
  feeOf: ReadonlyMap<Hex, bigint>,
): Promise<void> {
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
  await moveCoins(tx, network, assetId, matched);
  await endCanceled(tx, matched);
  await rememberCancellations(tx, assetId, matched.forgotten);
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
  const found: { readonly assetId: number; readonly moves: readonly Move[] }[] = [];
  for (const asset of network.assets) {
    const { moves } = await matchLogs(app.db, logs.filter(isOf(asset)), wallets);
    found.push({ assetId: asset.assetId, moves });
  }
  const seen = found.flatMap(({ moves }) => moves).filter((move) => move.authorization?.purpose === 'send');
  await app.db.tx(async (tx) => {
    await lockPayments(tx, seen.map(idOf));
    await advancePayments(
      tx,
      seen.map((move) => ({ paymentId: idOf(move), state: 'CONFIRMED', txHash: move.log.txHash })),
    );
    for (const { assetId, moves } of found) await showPending(tx, assetId, moves);
  });
}
