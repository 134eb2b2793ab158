import { hasMoves } from '../../custody/hasMoves.ts';
import type { Network } from '../../custody/network.ts';
import { type CustodyApp, distinctRails, type Progress } from '../../custody/rail.ts';
import { isSigningPaused } from '../../operators/pauses.ts';
import { advancePayments, type PaymentNews } from '../state.ts';

/** One pass over a blockchain: every rail continues what it has started, and payments show their progress. */
export async function carryPayments(app: CustodyApp, network: Network): Promise<void> {
  if (!(await hasMoves(app.db, network))) return;
  const mayStart = !(await isSigningPaused(app.db, network.chain.blockchain));
  for (const rail of distinctRails(app.rails)) {
    await showProgress(app, await rail.advance(app, network, { mayStart }));
  }
}

/** Updates the payments to the progress of their moves; a replaced hash stays visible in the timeline. */
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
