import type { Transaction } from '@florin/client';
import { memo } from 'react';
import { showAmount, sizeOf } from '../money/amounts.ts';
import { describePayment, describeState } from '../money/describePayment.ts';
import { Link } from '../router.tsx';
import { showClock, t } from '../text/text.ts';
import { Avatar } from './parts.tsx';

interface PaymentRowProps {
  readonly payment: Transaction;
  readonly own: string | null;
  /** Shown above the first payment of a day. */
  readonly day?: string | undefined;
}

/** Drawn again only when its payment has changed. */
export const PaymentRow = memo(({ payment, own, day }: PaymentRowProps) => {
  const { isIncoming, isOpen, isVoid, other, title } = describePayment(payment, own);
  const amount = showAmount(payment.amount);
  return (
    <li className="payment">
      {day !== undefined && <h3>{day}</h3>}
      <Link to={`/payments/${payment.transaction_id}`}>
        <Avatar name={other} />
        <span className="payment-who">
          <b>{title}</b>
          <small>
            {isOpen && <i className="dot" aria-hidden="true" />}
            {describeState(payment, isIncoming)} · {showClock(payment.created_at)}
          </small>
          {payment.payment_note && (
            <small className="note" dir="auto">
              {payment.payment_note}
            </small>
          )}
        </span>
        <span className={`payment-amount ${sizeOf(amount)} ${isVoid ? 'void' : isIncoming ? 'in' : ''}`}>
          <span className="unseen">{t(isIncoming ? 'received' : 'paid')} </span>
          {isIncoming ? '+' : '−'}
          {amount}
        </span>
      </Link>
    </li>
  );
});
