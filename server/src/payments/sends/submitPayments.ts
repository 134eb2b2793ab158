import type { Hex } from '../../core/ports.ts';
import { cancelAtProvider, endUnstarted } from '../../custody/coins/endMove.ts';
import { fundSend } from '../../custody/coins/fundSend.ts';
import { byAsset, type Network, type NetworkAsset } from '../../custody/network.ts';
import { type CustodyApp, nameRails } from '../../custody/rail.ts';
import { isNearFinal } from '../../custody/watch/cursor.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import type { JobOutcome } from '../../jobs/runJobs.ts';
import { isSigningPaused } from '../../operators/pauses.ts';
import { advancePayments, logStates } from '../state.ts';
import { lockPayments, releasePayment } from './finishPayment.ts';

interface Accepted {
  readonly payment_id: string;
  readonly asset_id: number;
  readonly wallet_id: string;
  readonly address: Hex;
  readonly destination: Hex;
  readonly amount: bigint;
  readonly waits: boolean;
}

/** `resume_payments` wakes jobs that wait for this. */
const RESUMED = 'resume';
/** `wake_sends` wakes jobs that wait for this. */
const coinsOf = (assetId: number): string => `coins ${assetId}`;
/** No event reports that a token has been unpaused. */
const TOKEN_PAUSED_MS = 15_000;
/** Its job is due when its wait is over; if the clock was set back meanwhile, the job comes early. */
const WAITS_MS = 1_000;
/** The watcher has blocks left to read that may have paid it. */
const BEHIND_MS = 1_000;

/**
 * The job of an accepted payment: reserves its coins, so that its rail can start. A payment that the token would
 * certainly refuse is denied here, before anything is started. One outcome per id, in order. A payment that cannot
 * continue yet waits for a wake-up.
 */
export async function submitPayments(
  app: CustodyApp,
  network: Network,
  paymentIds: readonly string[],
): Promise<JobOutcome[]> {
  const isPaused = await isSigningPaused(app.db, network.chain.blockchain);
  if (isPaused) return paymentIds.map(() => ({ waitsFor: RESUMED }));
  const all = await readAccepted(app.db, paymentIds);
  const outcomes = new Map<string, JobOutcome>();
  for (const one of all) if (one.waits) outcomes.set(one.payment_id, { againAfterMs: WAITS_MS });
  for (const { asset, rows } of byAsset(
    network,
    all.filter((one) => !one.waits),
  )) {
    const refusals = await findRefusals(network, asset, rows);
    if (refusals === 'paused') {
      for (const one of rows) outcomes.set(one.payment_id, { againAfterMs: TOKEN_PAUSED_MS });
      continue;
    }
    // If the database was restored and this has not been detected yet, those blocks show what was already paid.
    if (refusals.size > 0 && !(await isNearFinal(app.db, network))) {
      for (const id of refusals.keys()) outcomes.set(id, { againAfterMs: BEHIND_MS });
    }
    for (const id of await queueFromOwnWallets(app, asset.assetId, rows, refusals)) outcomes.set(id, 'done');
    for (const one of rows) {
      if (outcomes.has(one.payment_id)) continue;
      const outcome = submit(app, network, one, refusals.get(one.payment_id));
      outcomes.set(one.payment_id, await outcome.catch((error: Error) => error));
    }
  }
  // A payment that is no longer there has ended.
  return paymentIds.map((id) => outcomes.get(id) ?? 'done');
}

/** Why the token would refuse them, by payment. */
async function findRefusals(
  { chain }: Network,
  asset: NetworkAsset,
  rows: readonly Accepted[],
): Promise<ReadonlyMap<string, string> | 'paused'> {
  const { isPaused, blacklisted } = await chain.readRefusals(
    asset.contract,
    rows.flatMap((one) => [one.destination, one.address]),
  );
  if (isPaused) return 'paused';
  const refusals = new Map<string, string>();
  for (const [i, { payment_id: id }] of rows.entries()) {
    if (blacklisted[2 * i]) refusals.set(id, 'the destination is blacklisted by the token');
    else if (blacklisted[2 * i + 1]) refusals.set(id, 'the wallet is blacklisted by the token');
  }
  return refusals;
}

/** Nearly all payments: their own wallets have the coins. */
async function queueFromOwnWallets(
  app: CustodyApp,
  assetId: number,
  accepted: readonly Accepted[],
  refused: ReadonlyMap<string, string>,
): Promise<string[]> {
  const ids = accepted.map((one) => one.payment_id).filter((id) => !refused.has(id));
  if (ids.length === 0) return [];
  const rails = nameRails(app.rails);
  return app.db.tx(async (tx) => {
    const [row] = await tx.query<{ reserved: string[] }>('SELECT queue_payments($1, $2, $3) AS reserved', [
      assetId,
      ids,
      rails,
    ]);
    await logStates(tx);
    return row!.reserved;
  });
}

const readAccepted = (db: Queryable, paymentIds: readonly string[]): Promise<Accepted[]> =>
  db.query<Accepted>(
    `SELECT p.payment_id, t.asset_id, p.wallet_id, w.address, p.destination, coalesce(p.amount, t.amount) AS amount,
            payment_waits(p) AS waits
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
       JOIN wallets w USING (wallet_id)
      WHERE p.payment_id = ANY ($1) AND p.wallet_id IS NOT NULL AND NOT payment_is_final(p.state)`,
    [paymentIds],
  );

async function submit(
  app: CustodyApp,
  network: Network,
  one: Accepted,
  refusal: string | undefined,
): Promise<JobOutcome> {
  const { payment_id: paymentId, asset_id: assetId, wallet_id: walletId, destination, amount } = one;
  const send = { paymentId, assetId, walletId, destination, amount };
  const outcome = await fundSend(app, network, send, {
    lock: (tx) => lockUnreserved(tx, paymentId, refusal),
    after: (tx) => advancePayments(tx, [{ paymentId, state: 'QUEUED' }]),
  });
  if (outcome === 'short') return { waitsFor: coinsOf(assetId) };
  return outcome === 'paused' ? { againAfterMs: TOKEN_PAUSED_MS } : 'done';
}

/** Returns false if it needs no coins: it has ended, is to be cancelled, or is denied here. */
async function lockUnreserved(tx: Tx, paymentId: string, refusal: string | undefined): Promise<boolean> {
  const hold = (await lockPayments(tx, [paymentId])).get(paymentId)!;
  const [now] = await tx.query<{ ended: boolean; reserved: boolean }>(
    `SELECT EXISTS (SELECT FROM transfers WHERE hold_id = $1) OR EXISTS (SELECT FROM coin_moves
              WHERE move_id = $1 AND cancel_wanted_at IS NOT NULL) AS ended,
            EXISTS (SELECT FROM coin_moves WHERE move_id = $1) AS reserved`,
    [paymentId],
  );
  if (now!.ended) return false;
  if (!refusal || now!.reserved) return true;
  if (await cancelAtProvider(tx, paymentId)) return false;
  // Throws while the payment may have been signed before this database was restored; then the job is tried again later.
  await endUnstarted(tx, paymentId);
  await releasePayment(tx, hold, 'DENIED', refusal);
  return false;
}
