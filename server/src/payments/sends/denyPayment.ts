import { cancelAfterRestore, endUnstarted } from '../../custody/coins/endMove.ts';
import type { Tx } from '../../db/database.ts';
import { lockAccounts } from '../../ledger/lockAccounts.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import { lockPayments, releasePayment } from './finishPayment.ts';

/**
 * `asked`: the payment is being cancelled, because it may have been signed or handed to a provider before the database
 * was restored. `signed`: too late, it can only be cancelled now. `not_waiting`: it needs no approval, has ended, or is
 * unknown.
 */
type Denial = 'denied' | 'asked' | 'signed' | 'not_waiting';

/**
 * One operator is enough to deny a payment. Nothing was ever signed, so the hold is released in the same commit. After
 * a restore, the payment may have been approved before although this database does not know it: then it is cancelled.
 */
export async function denyPayment(tx: Tx, paymentId: string, reason: string, actor: AuditActor): Promise<Denial> {
  const hold = (await lockPayments(tx, [paymentId])).get(paymentId);
  const [waiting] = await tx.query<{ payer: string | null; is_asked: boolean }>(
    `SELECT a.user_id AS payer, EXISTS (SELECT FROM coin_moves m
              WHERE m.move_id = p.payment_id AND m.cancel_wanted_at IS NOT NULL) AS is_asked
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
       JOIN accounts a ON a.account_id = t.debit_account
      WHERE p.payment_id = $1 AND p.approvals_needed > 0 AND NOT payment_is_final(p.state)`,
    [paymentId],
  );
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
