import { cancelAfterRestore, endUnstarted } from '../../custody/coins/endMove.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { lockAccounts } from '../../ledger/lockAccounts.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import { lockPayments, releasePayment } from './finishPayment.ts';

/**
 * `asked`: the payment is being cancelled, because it may have been signed or handed to a provider before the database
 * was restored. `signed`: too late, it can only be cancelled now. `not_waiting`: it needs no approval, has ended, or is
 * unknown.
 */
export type Denial = 'denied' | 'asked' | 'signed' | 'not_waiting';

/**
 * One operator is enough to deny a payment. Nothing was ever signed, so the hold is released in the same commit. After
 * a restore, the payment may have been approved before although this database does not know it: then it is cancelled.
 */
export async function denyPayment(tx: Tx, paymentId: string, reason: string, actor: AuditActor): Promise<Denial> {
  const hold = (await lockPayments(tx, [paymentId])).get(paymentId);
  const waiting = await findWaiting(tx, paymentId);
  if (!hold || !waiting) return 'not_waiting';
  if (waiting.is_asked) return 'asked';
  await lockAccounts(tx, [hold.debitAccount]);
  const isAsked = await cancelAfterRestore(tx, paymentId);
  if (!isAsked) {
    if (!(await endUnstarted(tx, paymentId))) return 'signed';
    await releasePayment(tx, hold, 'DENIED', `denied by an operator: ${reason}`);
  }
  await recordAudit(tx, {
    actor,
    action: 'payment.denied',
    ...(waiting.payer && { userId: waiting.payer }),
    details: { payment_id: paymentId, reason },
  });
  return isAsked ? 'asked' : 'denied';
}

/** What a denial would do now; `denied` also if the chain or the provider must end it, as after a restore. */
export async function previewDenial(db: Queryable, paymentId: string): Promise<Denial> {
  const waiting = await findWaiting(db, paymentId);
  if (!waiting) return 'not_waiting';
  if (waiting.is_asked) return 'asked';
  return waiting.is_signed ? 'signed' : 'denied';
}

async function findWaiting(db: Queryable, paymentId: string) {
  const [waiting] = await db.query<{ payer: string | null; is_asked: boolean; is_signed: boolean }>(
    `SELECT a.user_id AS payer, m.cancel_wanted_at IS NOT NULL AS is_asked, m.started_at IS NOT NULL
            AND (EXISTS (SELECT FROM authorizations s WHERE s.move_id = m.move_id)
                 OR EXISTS (SELECT FROM provider_transfers s WHERE s.move_id = m.move_id)) AS is_signed
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
       JOIN accounts a ON a.account_id = t.debit_account LEFT JOIN coin_moves m ON m.move_id = p.payment_id
      WHERE p.payment_id = $1 AND p.approvals_needed > 0 AND NOT payment_is_final(p.state)`,
    [paymentId],
  );
  return waiting;
}
