import { PayError } from '../../core/errors.ts';
import type { PaymentState } from '../../core/payment.ts';
import { askCancellation, cancelAfterRestore, endUnstarted } from '../../custody/coins/endMove.ts';
import type { Tx } from '../../db/database.ts';
import { lockAccounts } from '../../ledger/lockAccounts.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import { IS_PAYMENT } from '../read/paymentRow.ts';
import { isFinal } from '../state.ts';
import { lockPayments, releasePayment } from './finishPayment.ts';

export interface CancelPayment {
  readonly paymentId: string;
  /**
   * Only payments of this person; undefined: any payment. Another person's payment and an unknown one get the same
   * answer.
   */
  readonly payerId?: string | undefined;
  /** Undefined: the payer, on whose behalf the sandbox acts in calls without credentials. */
  readonly actor?: AuditActor;
}

/**
 * `released`: the money is back. `asked`: it was started, so it may still be paid. `before`: it was already cancelled.
 */
export type Cancelled = 'released' | 'asked' | 'before';

/**
 * Cancels a payment that has not ended. If nothing was signed or handed to a provider, the hold is released in this
 * commit. Otherwise its rail tries to stop the move, and the hold ends when the outcome is certain: CANCELLED, or
 * COMPLETE if the payment was faster. Repeating it changes nothing.
 */
export async function cancelPayment(tx: Tx, { paymentId, payerId, actor }: CancelPayment): Promise<Cancelled> {
  const hold = (await lockPayments(tx, [paymentId])).get(paymentId);
  const found = await find(tx, paymentId);
  if (!found || (payerId !== undefined && found.payer !== payerId)) throw new PayError('transaction.unknown');
  if (found.state === 'CANCELLED') return 'before';
  if (isFinal(found.state) || !hold) throw new PayError('payment.ended', { state: found.state });

  await lockAccounts(tx, [hold.debitAccount]);
  const isAsked = await cancelAfterRestore(tx, paymentId);
  const isReleased = !isAsked && (await endUnstarted(tx, paymentId));
  if (isReleased) await releasePayment(tx, hold, 'CANCELLED', 'cancelled before anything was signed');
  else if (!isAsked && !(await askCancellation(tx, paymentId))) return 'before';
  await recordAudit(tx, {
    actor: actor ?? (found.payer ? `user:${found.payer}` : 'operator:sandbox'),
    action: 'payment.cancel_asked',
    ...(found.payer && { userId: found.payer }),
    details: { payment_id: paymentId, state: found.state, released: isReleased },
  });
  return isReleased ? 'released' : 'asked';
}

/**
 * Read after the lock, so that the payment does not end meanwhile. A payment without a row in `payments` was COMPLETE
 * from the start.
 */
async function find(tx: Tx, paymentId: string) {
  const [row] = await tx.query<{ payer: string | null; state: PaymentState }>(
    `SELECT debit.user_id AS payer, coalesce(p.state, 'COMPLETE') AS state
       FROM transfers_by_id(ARRAY[$1::uuid]) t JOIN accounts debit ON debit.account_id = t.debit_account
       JOIN accounts credit ON credit.account_id = t.credit_account
       LEFT JOIN payments p ON p.payment_id = t.transfer_id
      WHERE ${IS_PAYMENT}`,
    [paymentId],
  );
  return row;
}
