import { familyOf, readAddressOf } from '../../core/families.ts';
import type { Arrival } from '../../core/providerSays.ts';
import type { Tx } from '../../db/database.ts';
import type { Network, NetworkAsset } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { lockCursor } from '../watch/cursor.ts';
import type { SeenTransfer } from '../watch/matchLogs.ts';
import { findWalletAt } from './findWalletAt.ts';
import { judgeDeparture, type Verdict } from './judgeDeparture.ts';
import { toSeen } from './toSeen.ts';

type App = Pick<CustodyApp, 'db' | 'signer'>;

export type Credit = (tx: Tx, seen: SeenTransfer) => Promise<void>;

const LIMIT = 200;
/** The provider does not name the sender. */
const UNKNOWN_SENDER = '';

/** Asks about arrivals that are due, at least one, until the time is up. The next pass continues with the others. */
export async function decideArrivals(
  app: App,
  network: Network,
  asset: NetworkAsset,
  credit: Credit,
  untilMs: number,
): Promise<void> {
  const list = (which: string) =>
    app.db.query<{ provider_id: string; record: Arrival | null }>(
      `SELECT provider_id, record FROM open_arrivals
        WHERE network_id = $1 AND due_at <= now() AND record ${which} ORDER BY due_at LIMIT $2`,
      [network.networkId, LIMIT],
    );
  const due = [...(await list('IS NULL')), ...(await list('IS NOT NULL'))];
  for (const [i, { provider_id: providerId, record }] of due.entries()) {
    if (i > 0 && performance.now() >= untilMs) return;
    await postpone(app, network, providerId);
    const arrival = record ?? (await find(app, network, providerId));
    if (arrival) await decideArrival(app, network, asset, arrival, credit);
  }
}

/**
 * Recorded before the call, so that a failing arrival does not delay the others. The longer an arrival is open, the
 * less often it is requested.
 */
async function postpone({ db }: App, { networkId, settings }: Network, providerId: string): Promise<void> {
  await db.query(
    `UPDATE open_arrivals SET due_at = clock_timestamp() + $3 * interval '1 millisecond'
            * least(1800, greatest(1, extract(epoch FROM clock_timestamp() - listed_at) / 20))
      WHERE network_id = $1 AND provider_id = $2`,
    [networkId, providerId, settings.askProviderMs],
  );
}

async function find({ signer }: App, { chain }: Network, providerId: string): Promise<Arrival | undefined> {
  const arrival = await signer.findArrival(chain.blockchain, providerId);
  return arrival.outcome === 'accepted' && arrival.state !== 'open' ? arrival : undefined;
}

/** Decides the arrival once. Returns false if it cannot be decided yet. */
export async function decideArrival(
  app: Pick<App, 'db'>,
  network: Network,
  asset: NetworkAsset,
  arrival: Arrival,
  credit: Credit,
): Promise<boolean> {
  const { blockchain } = network.chain;
  const { providerId } = arrival;
  const to = readAddress(blockchain, arrival.to) ?? arrival.to;
  const from = readAddress(blockchain, arrival.from) ?? UNKNOWN_SENDER;
  return app.db.tx(async (tx) => {
    await lockCursor(tx, network.networkId);
    const judge = arrival.direction === 'out' ? judgeDeparture : judgeArrival;
    const judged = await judge(tx, network, asset, { ...arrival, from, to });
    if (judged === undefined) return false;
    const { verdict, address, seen } = judged;
    const rows = await tx.query(
      `INSERT INTO arrivals AS a (network_id, provider_id, to_address, verdict) VALUES ($1, $2, $3, $4)
       ON CONFLICT (network_id, provider_id) DO UPDATE SET verdict = excluded.verdict, decided_at = clock_timestamp()
         WHERE a.verdict = 'unowned' AND excluded.verdict <> 'unowned' RETURNING a.verdict`,
      [network.networkId, providerId, address, verdict],
    );
    await tx.query('DELETE FROM open_arrivals WHERE network_id = $1 AND provider_id = $2', [
      network.networkId,
      providerId,
    ]);
    // If there are no rows, another worker has decided it in the meantime.
    if (rows.length > 0 && seen) await credit(tx, seen);
    return true;
  });
}

/**
 * Undefined: it may be a move of ours that the provider has not identified yet. The sender does not decide this: the
 * provider may name none, or name a token account of the sending wallet.
 */
async function judgeArrival(
  tx: Tx,
  network: Network,
  asset: NetworkAsset,
  arrival: Arrival,
): Promise<Verdict | undefined> {
  const address = arrival.to;
  if (arrival.state !== 'complete' || BigInt(arrival.amount) <= 0n) return { verdict: 'other', address };
  const receiver = await findReceiver(tx, network, arrival);
  if (receiver === 'unclear') return undefined;
  if (receiver === undefined) return { verdict: 'unowned', address };
  const seen = { ...toSeen(asset, { ...arrival, amount: BigInt(arrival.amount) }), toWallet: receiver };
  const move = await findMove(tx, asset, arrival, receiver);
  // A send that was complete before its receiver was known has credited no one.
  if (move)
    return move.isDone && !move.isCredited ? { verdict: 'credited', address, seen } : { verdict: 'own', address };
  const left = await findUnexplained(tx, asset, arrival, receiver);
  // Nor has an unexplained move credited anyone if it left before its receiver was known. It waits until an operator
  // has explained it.
  if (left && !left.isCounted) return left.isExplained ? { verdict: 'credited', address, seen } : undefined;
  if (left || (await findWalletAt(tx, network, arrival.from)) !== undefined) return { verdict: 'own', address };
  return (await isExpected(tx, asset, arrival)) ? undefined : { verdict: 'credited', address, seen };
}

/** A move of ours in the same chain transaction. */
async function findMove(tx: Tx, { assetId }: NetworkAsset, { txHash, to, amount }: Arrival, receiver: string) {
  const [move] = await tx.query<{ isDone: boolean; isCredited: boolean }>(
    `SELECT m.state = 'done' AS "isDone",
            EXISTS (SELECT FROM deposits d WHERE d.asset_id = $1 AND d.tx_hash = $2 AND d.wallet_id = $4) AS "isCredited"
       FROM provider_transfers p JOIN coin_moves m USING (move_id)
      WHERE p.tx_hash = $2 AND m.asset_id = $1 AND m.to_address = $3 AND m.amount = $5`,
    [assetId, txHash, to, receiver, amount],
  );
  return move;
}

/** The other end of the transfer: coins left one of our wallets, and no move of ours explains it. */
async function findUnexplained(tx: Tx, { assetId }: NetworkAsset, { txHash, to, amount }: Arrival, receiver: string) {
  const [move] = await tx.query<{ isExplained: boolean; isCounted: boolean }>(
    `SELECT imported_as IS NOT NULL AS "isExplained", to_wallet IS NOT NULL OR EXISTS (
              SELECT FROM deposits d WHERE d.asset_id = $1 AND d.tx_hash = $2 AND d.wallet_id = $5) AS "isCounted"
       FROM unexplained_moves WHERE asset_id = $1 AND tx_hash = $2 AND to_address = $3 AND amount = $4`,
    [assetId, txHash, to, amount, receiver],
  );
  return move;
}

/**
 * The provider was asked for a move of ours that looks like this one, and has not reported its chain transaction yet.
 */
async function isExpected(tx: Tx, { assetId }: NetworkAsset, { to, amount }: Arrival): Promise<boolean> {
  const rows = await tx.query(
    `SELECT FROM coin_moves m JOIN provider_transfers p USING (move_id)
      WHERE m.asset_id = $1 AND m.rail = 'provider' AND m.state = 'open' AND m.to_address = $2 AND m.amount = $3
        AND (p.attempts > 0 OR p.provider_id IS NOT NULL) AND p.tx_hash IS NULL
        AND p.provider_state NOT IN ('failed', 'cancelled')`,
    [assetId, to, amount],
  );
  return rows.length > 0;
}

/**
 * Finds the wallet by the provider's reference. The address alone counts only if the provider names no wallet, or if an
 * operator decided so. Unclear: the reference and the address belong to different wallets.
 */
async function findReceiver(
  tx: Tx,
  network: Network,
  { providerId, reference, to }: Arrival,
): Promise<string | undefined | 'unclear'> {
  const byAddress = await findWalletAt(tx, network, to);
  if (reference === undefined) return byAddress;
  const [row] = await tx.query<{ wallet_id: string }>(
    `SELECT w.wallet_id FROM wallets w JOIN networks n USING (family)
      WHERE n.network_id = $1 AND w.family <> 'evm' AND w.provider = n.wallet_provider AND w.reference = $2`,
    [network.networkId, reference],
  );
  if (row?.wallet_id === byAddress) return byAddress;
  const ruled = await tx.query('SELECT FROM open_arrivals WHERE network_id = $1 AND provider_id = $2 AND by_address', [
    network.networkId,
    providerId,
  ]);
  return ruled.length > 0 ? byAddress : 'unclear';
}

/** Returns the address in our canonical form, or undefined if the text is not an address. */
function readAddress(blockchain: string, text: string): string | undefined {
  const family = familyOf(blockchain);
  return family === 'evm' ? undefined : readAddressOf(family, text);
}
