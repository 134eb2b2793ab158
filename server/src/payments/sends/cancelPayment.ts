import { PayError } from '../../core/errors.ts';
import type { PaymentState } from '../../core/payment.ts';
import { askCancellation, endUnsigned } from '../../custody/eip3009/cancelAuthorization.ts';
import type { Tx } from '../../db/database.ts';
import { lockAccounts } from '../../ledger/moveMany.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import { IS_PAYMENT } from '../read/paymentRow.ts';
import { isFinal } from '../state.ts';
import { lockPayments, releasePayment } from './finishPayment.ts';

export interface CancelPayment {
  readonly paymentId: string;
  /** Only what this person pays; undefined: whoever pays. Another's payment and none at all answer alike. */
  readonly payerId?: string | undefined;
  /** Undefined: the payer, whom a bare call of the sandbox stands for. */
  readonly actor?: AuditActor;
}

/** `released`: the money is back. `asked`: it is signed, so the chain decides. `before`: it was cancelled already. */
export type Cancelled = 'released' | 'asked' | 'before';

/**
 * Cancels a payment that has not ended. Nothing was ever signed: the hold is released in this commit. Otherwise the
 * authorization is to be cancelled on chain, and the hold ends when one of the two is final: CANCELLED, or COMPLETE
 * when the payment was faster. Repeating it changes nothing.
 */
export async function cancelPayment(tx: Tx, { paymentId, payerId, actor }: CancelPayment): Promise<Cancelled> {
  const hold = (await lockPayments(tx, [paymentId])).get(paymentId);
  const found = await find(tx, paymentId);
  if (!found || (payerId !== undefined && found.payer !== payerId)) throw new PayError('transaction.unknown');
  if (found.state === 'CANCELLED') return 'before';
  if (isFinal(found.state) || !hold) throw new PayError('payment.ended', { state: found.state });

  await lockAccounts(tx, [hold.debitAccount]);
  const isUnsigned = await endUnsigned(tx, paymentId);
  if (isUnsigned) await releasePayment(tx, hold, 'CANCELLED', 'cancelled before anything was signed');
  else if (!(await askCancellation(tx, paymentId))) return 'before';
  await recordAudit(tx, {
    actor: actor ?? (found.payer ? `user:${found.payer}` : 'operator:sandbox'),
    action: 'payment.cancel_asked',
    ...(found.payer && { userId: found.payer }),
    details: { payment_id: paymentId, state: found.state, released: isUnsigned },
  });
  return isUnsigned ? 'released' : 'asked';
}

/** After the lock, so that nobody ends it meanwhile. What has no row in `payments` was born COMPLETE. */
async function find(tx: Tx, paymentId: string) {
  const [row] = await tx.query<{ payer: string | null; state: PaymentState }>(
    `SELECT a.user_id AS payer, coalesce(p.state, 'COMPLETE') AS state
       FROM transfers t JOIN accounts a ON a.account_id = t.debit_account
       LEFT JOIN payments p ON p.payment_id = t.transfer_id
      WHERE t.transfer_id = $1 AND ${IS_PAYMENT}`,
    [paymentId],
  );
  return row;
}
