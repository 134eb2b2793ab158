import type { Arrival } from '../../core/providerSays.ts';
import type { Tx } from '../../db/database.ts';
import { subjectOf } from '../coins/pauseOnDrift.ts';
import type { Network, NetworkAsset } from '../network.ts';
import type { SeenTransfer } from '../watch/matchLogs.ts';
import { findWalletAt } from './findWalletAt.ts';
import { toSeen } from './toSeen.ts';

/**
 * The verdict about an arrival. `address` is the address that was searched for among our wallets; `seen` is the
 * transfer to apply to ledger and coins.
 */
export interface Verdict {
  readonly verdict: 'credited' | 'own' | 'other' | 'unowned' | 'left';
  readonly address: string;
  readonly seen?: SeenTransfer;
}

/**
 * Judges coins that left a wallet, as the provider reports. `left`: no move of ours explains it, for example because
 * someone used the provider's console, or this database was restored. The coins are then updated, and it waits for an
 * operator like an unexplained log of a watched chain. Undefined: it may be a move of ours whose provider id is not
 * known yet, or coins that are not counted yet.
 */
export async function judgeDeparture(
  tx: Tx,
  network: Network,
  asset: NetworkAsset,
  arrival: Arrival,
): Promise<Verdict | undefined> {
  const address = arrival.from;
  const amount = BigInt(arrival.amount);
  if (arrival.state !== 'complete' || amount <= 0n) return { verdict: 'other', address };
  if (await isOurs(tx, arrival)) return { verdict: 'own', address };
  const walletId = await findWalletAt(tx, network, address);
  if (walletId === undefined) return { verdict: 'unowned', address };
  if (await mayBeOurs(tx, asset, walletId, arrival)) return undefined;
  if (await isTooEarly(tx, network, asset, walletId, arrival)) return undefined;
  const receiver = await findReceiver(tx, network, asset, arrival);
  const seen = { ...toSeen(asset, { ...arrival, amount }), fromWallet: walletId, toWallet: receiver };
  const key = (await findFreeKey(tx, arrival)) ?? arrival.providerId;
  // Several transfers in one chain transaction have the same hash.
  const log = { ...seen.log, blockHash: key as typeof seen.log.blockHash, logIndex: seen.ordinal };
  await explainDrift(tx, asset, walletId, amount);
  return { verdict: 'left', address, seen: { ...seen, log } };
}

/** A transfer that we handed over has this id. If its move is dead, the coins have left nevertheless. */
async function isOurs(tx: Tx, { providerId }: Arrival): Promise<boolean> {
  const rows = await tx.query(
    `SELECT FROM provider_transfers p JOIN coin_moves m USING (move_id) WHERE p.provider_id = $1 AND m.state <> 'dead'`,
    [providerId],
  );
  return rows.length > 0;
}

/** An open payment has this key, or a transfer that was requested but not identified by the provider looks the same. */
async function mayBeOurs(tx: Tx, { assetId }: NetworkAsset, walletId: string, { key, to, amount }: Arrival) {
  const rows = await tx.query(
    `SELECT FROM payments WHERE payment_id = $1 AND NOT payment_is_final(state)
     UNION ALL
     SELECT FROM coin_moves m LEFT JOIN provider_transfers p USING (move_id)
      WHERE m.asset_id = $2 AND m.wallet_id = $3 AND m.state = 'open' AND p.provider_id IS NULL
        AND (m.move_id = $1 OR $1::uuid IS NULL AND p.attempts > 0 AND m.to_address = $4 AND m.amount = $5)`,
    [key ?? null, assetId, walletId, to, amount],
  );
  return rows.length > 0;
}

/** The wallet has fewer coins than have left: earlier listed arrivals must be counted first. */
async function isTooEarly(
  tx: Tx,
  { networkId }: Network,
  { assetId }: NetworkAsset,
  walletId: string,
  { providerId, amount }: Arrival,
): Promise<boolean> {
  const rows = await tx.query(
    `SELECT FROM open_arrivals WHERE network_id = $1 AND provider_id <> $2 AND $3 > coalesce((
       SELECT coins FROM holdings WHERE asset_id = $4 AND wallet_id = $5), 0) LIMIT 1`,
    [networkId, providerId, amount, assetId, walletId],
  );
  return rows.length > 0;
}

/** Finds our receiving wallet, unless the arrival there was credited before. */
async function findReceiver(tx: Tx, network: Network, { assetId }: NetworkAsset, { txHash, to }: Arrival) {
  const walletId = await findWalletAt(tx, network, to);
  if (walletId === undefined) return undefined;
  const credited = await tx.query('SELECT FROM deposits WHERE asset_id = $1 AND tx_hash = $2 AND wallet_id = $3', [
    assetId,
    txHash,
    walletId,
  ]);
  return credited.length > 0 ? undefined : walletId;
}

/** The payment can get its own id back, unless another payment has that id by now. */
async function findFreeKey(tx: Tx, { key }: Arrival): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const taken = await tx.query(
    'SELECT FROM transfers_by_id(ARRAY[$1::uuid]) UNION ALL SELECT FROM payments WHERE payment_id = $1',
    [key],
  );
  return taken.length > 0 ? undefined : key;
}

/** Reconciliation may already have recorded the missing coins. */
async function explainDrift(tx: Tx, { assetId }: NetworkAsset, walletId: string, amount: bigint): Promise<void> {
  const subject = subjectOf(walletId);
  await tx.query(
    'UPDATE drifts SET difference = difference + $3 WHERE asset_id = $1 AND subject = $2 AND difference < 0',
    [assetId, subject, amount],
  );
  await tx.query('DELETE FROM drifts WHERE asset_id = $1 AND subject = $2 AND difference = 0', [assetId, subject]);
}
