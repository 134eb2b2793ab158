import { fundSend } from '../../custody/coins/fundSend.ts';
import { listLacking, reserveSettlements } from '../../custody/coins/reserveSend.ts';
import type { Network } from '../../custody/network.ts';
import { type CustodyApp, distinctRails, type Progress } from '../../custody/rail.ts';
import type { Tx } from '../../db/database.ts';
import { isSigningPaused } from '../../operators/pauses.ts';
import { advancePayments, type PaymentNews } from '../state.ts';
import { lockPayments } from './finishPayment.ts';

/**
 * One turn of a blockchain: every rail starts what is reserved, follows what was started and stops what is to be cancelled;
 * payments show how far they have come.
 */
export async function carryPayments(app: CustodyApp, network: Network): Promise<void> {
  const mayStart = !(await isSigningPaused(app.db, network.chain.blockchain));
  if (mayStart) await topUp(app, network);
  for (const rail of distinctRails(app.rails)) {
    await showProgress(app, await rail.advance(app, network, { mayStart }));
  }
}

/** Brings coins for sends and settlements whose backing fell away. */
async function topUp(app: CustodyApp, network: Network): Promise<void> {
  await reserveSettlements(app.db, network);
  for (const send of await listLacking(app.db, network)) {
    const lock = async (tx: Tx) => (await lockPayments(tx, [send.paymentId])).size > 0;
    await fundSend(app, network, send, { lock });
  }
}

/** Shows in the payments what their moves have reached; a replaced hash stays visible in the timeline. */
async function showProgress(app: CustodyApp, progress: readonly Progress[]): Promise<void> {
  if (progress.length === 0) return;
  const news = await app.db.query<PaymentNews>(
    `SELECT p.payment_id AS "paymentId", n.tx_hash AS "txHash",
            CASE WHEN n.is_stuck AND p.state = 'SENT' THEN 'STUCK' ELSE 'SENT' END AS state
       FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS n(payment_id, tx_hash, is_stuck)
       JOIN payments p USING (payment_id)
      WHERE p.state = 'QUEUED' OR (p.state = 'SENT' AND n.is_stuck)
         OR (p.state IN ('SENT', 'STUCK') AND n.tx_hash <> coalesce(p.tx_hash, ''))`,
    [progress.map((one) => one.moveId), progress.map((one) => one.txHash ?? null), progress.map((one) => one.isStuck)],
  );
  if (news.length > 0) await app.db.tx((tx) => advancePayments(tx, news));
}
