import type { Hex } from '../../core/ports.ts';
import { reserveSend } from '../../custody/coins/reserveSend.ts';
import { byAsset, type Network } from '../../custody/network.ts';
import { type CustodyApp, nameRails, type Rails } from '../../custody/rail.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import type { JobOutcome } from '../../jobs/runJobs.ts';
import { isSigningPaused } from '../../operators/pauses.ts';
import { advancePayments } from '../state.ts';
import { lockPayments, releasePayment } from './finishPayment.ts';

interface Accepted {
  readonly payment_id: string;
  readonly asset_id: number;
  readonly wallet_id: string;
  readonly destination: Hex;
  readonly amount: bigint;
  readonly waits: boolean;
}

const COINS_ON_THEIR_WAY_MS = 400;
const PAUSED_MS = 1_000;
/** Its job comes when its wait is over; a clock that was set back meanwhile makes it come early. */
const WAITS_MS = 1_000;

/**
 * The job of an accepted payment: reserve its coins, so that its rail can start. A destination that the
 * token would refuse for sure is denied here, while nothing was started. One outcome per id, in order.
 */
export async function submitPayments(
  app: CustodyApp,
  network: Network,
  paymentIds: readonly string[],
): Promise<JobOutcome[]> {
  const isPaused = await isSigningPaused(app.db, network.chain.blockchain);
  if (isPaused) return paymentIds.map(() => ({ againAfterMs: PAUSED_MS }));
  const all = await readAccepted(app.db, paymentIds);
  const accepted = all.filter((one) => !one.waits);
  const refused = new Set<string>();
  for (const { asset, rows } of byAsset(network, accepted)) {
    const destinations = rows.map((one) => one.destination);
    const { blacklisted } = await network.chain.readRefusals(asset.contract, destinations);
    rows.forEach((one, i) => void (blacklisted[i] && refused.add(one.payment_id)));
  }
  const outcomes = new Map<string, JobOutcome>();
  for (const one of all) if (one.waits) outcomes.set(one.payment_id, { againAfterMs: WAITS_MS });
  for (const { asset, rows } of byAsset(network, accepted)) {
    for (const id of await queueFromOwnWallets(app, asset.assetId, rows, refused)) outcomes.set(id, 'done');
  }
  for (const one of accepted) {
    if (outcomes.has(one.payment_id)) continue;
    const outcome = app.db.tx((tx) => submit(tx, app.rails, one, refused.has(one.payment_id)));
    outcomes.set(one.payment_id, await outcome.catch((error: Error) => error));
  }
  // What is not there any more has ended.
  return paymentIds.map((id) => outcomes.get(id) ?? 'done');
}

/** Nearly all of them: their own wallets have the coins. */
async function queueFromOwnWallets(
  app: CustodyApp,
  assetId: number,
  accepted: readonly Accepted[],
  refused: ReadonlySet<string>,
): Promise<string[]> {
  const ids = accepted.map((one) => one.payment_id).filter((id) => !refused.has(id));
  if (ids.length === 0) return [];
  const rails = nameRails(app.rails);
  const [row] = await app.db.tx((tx) =>
    tx.query<{ reserved: string[] }>('SELECT queue_payments($1, $2, $3) AS reserved', [assetId, ids, rails]),
  );
  return row!.reserved;
}

const readAccepted = (db: Queryable, paymentIds: readonly string[]): Promise<Accepted[]> =>
  db.query<Accepted>(
    `SELECT p.payment_id, t.asset_id, p.wallet_id, p.destination, t.amount, payment_waits(p) AS waits
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id
      WHERE p.payment_id = ANY ($1) AND p.wallet_id IS NOT NULL AND NOT payment_is_final(p.state)`,
    [paymentIds],
  );

async function submit(tx: Tx, rails: Rails, one: Accepted, isBlacklisted: boolean): Promise<JobOutcome> {
  const hold = (await lockPayments(tx, [one.payment_id])).get(one.payment_id)!;
  const [now] = await tx.query<{ ended: boolean; reserved: boolean }>(
    `SELECT EXISTS (SELECT FROM transfers WHERE hold_id = $1) OR EXISTS (SELECT FROM coin_moves
              WHERE move_id = $1 AND cancel_wanted_at IS NOT NULL) AS ended,
            EXISTS (SELECT FROM coin_moves WHERE move_id = $1) AS reserved`,
    [one.payment_id],
  );
  if (now!.ended) return 'done';
  if (isBlacklisted && !now!.reserved) {
    await releasePayment(tx, hold, 'DENIED', 'the destination is blacklisted by the token');
    return 'done';
  }
  const reserved = await reserveSend(tx, rails, {
    paymentId: one.payment_id,
    assetId: one.asset_id,
    walletId: one.wallet_id,
    destination: one.destination,
    amount: one.amount,
  });
  if (!reserved) return { againAfterMs: COINS_ON_THEIR_WAY_MS };
  await advancePayments(tx, [{ paymentId: one.payment_id, state: 'QUEUED' }]);
  return 'done';
}
