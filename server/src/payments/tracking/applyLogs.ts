import type { Hex, TokenLog } from '../../core/ports.ts';
import { creditDeposits, readWalletAccounts } from '../../custody/coins/creditDeposits.ts';
import { endCanceled } from '../../custody/coins/endMove.ts';
import { moveCoins } from '../../custody/coins/moveCoins.ts';
import type { Network, NetworkAsset } from '../../custody/network.ts';
import { type CustodyApp, distinctRails } from '../../custody/rail.ts';
import type { LogChunk } from '../../custody/watch/cutLogs.ts';
import type { WalletsByAddress } from '../../custody/watch/findWallets.ts';
import { readHeld, replaceHeld } from '../../custody/watch/heldLogs.ts';
import {
  isDeposit,
  type Matched,
  matchLogs,
  type RawTransfer,
  type SeenTransfer,
} from '../../custody/watch/matchLogs.ts';
import type { Db, Tx } from '../../db/database.ts';
import { openHouseAccount } from '../../ledger/accounts.ts';
import { lockAccounts } from '../../ledger/lockAccounts.ts';
import { pauseSends } from '../../operators/pauses.ts';
import { completePayments, type Hold, lockPayments, type PaidPayment, releasePayment } from '../sends/finishPayment.ts';

/** The transfers of one token: from new final logs, and from logs that were held until now. */
export interface AssetLogs {
  readonly asset: NetworkAsset;
  readonly heldBefore: readonly RawTransfer[];
  readonly heldNow: readonly SeenTransfer[];
  /** Final, and identified. */
  readonly seen: readonly SeenTransfer[];
  readonly canceled: Matched['canceled'];
  /** Moves whose end this database has just recovered from the logs. Payments and coins have not been updated yet. */
  readonly recovered: ReadonlySet<string>;
}

export const isOf =
  ({ contract }: NetworkAsset) =>
  (log: TokenLog): boolean =>
    log.token === contract;

/**
 * Identifies the logs of a chunk, and those that were held until now. `rescanned`: only this wallet is read again, so
 * held transfers stay held, and moves of other wallets are not recovered, because nothing would update their payments
 * now.
 */
export async function interpretLogs(
  tx: Tx,
  { rails }: CustodyApp,
  asset: NetworkAsset,
  { logs, earlier }: LogChunk,
  wallets: WalletsByAddress,
  rescanned?: Hex,
): Promise<AssetLogs> {
  const heldBefore = rescanned ? [] : await readHeld(tx, asset);
  const [ours, before] = [logs.filter(isOf(asset)), earlier.filter(isOf(asset))];
  const news = rescanned ? ours.filter((log) => log.kind === 'transfer' || isSame(log.authorizer, rescanned)) : ours;
  const recovered: string[] = [];
  for (const rail of distinctRails(rails)) recovered.push(...(await rail.recoverFromLogs(tx, asset, news, wallets)));
  const { seen, canceled } = await matchLogs(tx, rails, asset, ours, wallets, heldBefore, before);
  return {
    asset,
    heldBefore,
    heldNow: seen.filter((one) => one.isHeld),
    seen: seen.filter((one) => !one.isHeld),
    canceled,
    recovered: new Set(recovered),
  };
}

const isSame = (one: Hex, other: Hex): boolean => one.toLowerCase() === other.toLowerCase();

/** Updates payments, accounts and coins. All payments are locked first, then all accounts, then wallets. */
export async function applyLogs(
  tx: Tx,
  network: Network,
  found: readonly AssetLogs[],
  fees: ReadonlyMap<string, bigint>,
): Promise<void> {
  const canceled = found.flatMap((one) => one.canceled).filter(({ move }) => move.purpose === 'send');
  const holds = await lockPayments(tx, [
    ...found.flatMap(({ seen }) => seen.flatMap(({ move }) => (move?.purpose === 'send' ? [move.moveId] : []))),
    ...canceled.map(({ move }) => move.moveId),
  ]);
  const touched = [...holds.values()].flatMap((hold) => [hold.debitAccount, hold.creditAccount]);
  for (const { asset, seen } of found) {
    const receivers = seen.filter(isDeposit).map((one) => one.toWallet!);
    const accounts = await readWalletAccounts(tx, asset.assetId, receivers);
    if (accounts.size > 0) touched.push(await openHouseAccount(tx, asset.assetId, 'chain'), ...accounts.values());
  }
  if (touched.length > 0) await lockAccounts(tx, touched);
  for (const one of found) await applyAsset(tx, network, one, fees);
  for (const { move, txHash } of canceled) await releaseCanceled(tx, network, holds.get(move.moveId)!, txHash);
}

async function applyAsset(
  tx: Tx,
  network: Network,
  { asset, seen, canceled, heldBefore, heldNow }: AssetLogs,
  fees: ReadonlyMap<string, bigint>,
): Promise<void> {
  const paid = seen.flatMap(({ move, log }): PaidPayment[] =>
    move?.purpose === 'send' ? [{ paymentId: move.moveId, txHash: log.txHash, networkFee: fees.get(log.txHash) }] : [],
  );
  const doubled = await completePayments(tx, paid);
  if (doubled.length > 0) {
    const reason = `paid although its hold was released: ${doubled.join(', ')}`;
    await pauseSends(tx, network.chain.blockchain, 'contradicted', reason);
  }
  await creditDeposits(tx, asset, seen);
  await moveCoins(tx, network, asset.assetId, seen);
  await endCanceled(tx, canceled);
  await replaceHeld(tx, asset.assetId, heldBefore, heldNow);
}

/**
 * A COMPLETE payment stays COMPLETE. If the chain removed the payment below finality and cancelled it instead,
 * operators decide.
 */
async function releaseCanceled(tx: Tx, { chain }: Network, hold: Hold, txHash: string): Promise<void> {
  const [posted] = await tx.query(`SELECT FROM transfers WHERE hold_id = $1 AND kind = 'post'`, [hold.paymentId]);
  const reason = `cancelled on chain although it was paid: ${hold.paymentId}`;
  if (posted) await pauseSends(tx, chain.blockchain, 'contradicted', reason);
  else await releasePayment(tx, hold, 'CANCELLED', 'cancelled on chain', txHash);
}

/**
 * Opens the accounts that the deposits of a chunk may need, outside its commit. Opening one locks a row that everyone
 * needs who registers or is paid for the first time, and crediting a chunk takes long.
 */
export async function openReceivers(
  db: Db,
  { assets }: Network,
  { logs }: LogChunk,
  wallets: WalletsByAddress,
): Promise<void> {
  for (const asset of assets) {
    const receivers = logs
      .filter(isOf(asset))
      .flatMap((log) => (log.kind === 'transfer' && log.amount > 0n ? (wallets.get(log.to.toLowerCase()) ?? []) : []));
    await readWalletAccounts(db, asset.assetId, receivers);
  }
}
