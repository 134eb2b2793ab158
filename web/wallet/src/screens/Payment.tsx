import { isFinal, type Transaction } from '@florin/client';
import { useEffect, useState } from 'react';
import { copy, share } from '../device.ts';
import { facts } from '../facts.ts';
import { isAddress } from '../money/addresses.ts';
import { showAmount, sizeOf } from '../money/amounts.ts';
import { describePayment, describeState, showSide } from '../money/describePayment.ts';
import { usePayment } from '../reads.ts';
import { refresh } from '../resource.ts';
import { go, Link, type Route, useTitle } from '../router.tsx';
import { florin } from '../session.ts';
import { say, showTime, t } from '../text/text.ts';
import { Avatar, Bones, Button, Fault, Row, Screen } from '../ui/parts.tsx';
import { Timeline } from '../ui/Timeline.tsx';
import { sendTo } from './Send.tsx';

interface PaymentProps {
  readonly id: string;
  readonly own: string | null;
  readonly query: Route['query'];
}

export default function Payment({ id, own, query }: PaymentProps) {
  const { data: payment, error } = usePayment(id);
  const described = payment && describePayment(payment, own);
  useTitle(described ? `${described.title} ${showAmount(payment.amount)} USDC` : t('payment'));
  // A proxy may cut the stream of events, so a pending payment is also polled.
  useEffect(() => {
    if (payment && isFinal(payment.state)) return;
    const timer = setInterval(() => refresh(`payment ${id}`), 10_000);
    return () => clearInterval(timer);
  }, [id, payment?.state]);

  if (!payment || !described) {
    return (
      <Screen title={t('payment')}>
        {error === undefined ? <Bones count={4} /> : <Fault error={error} retry={() => refresh(`payment ${id}`)} />}
      </Screen>
    );
  }
  const { isIncoming, isOpen, isVoid, isBooking, isRefund, other } = described;
  const why = payment.reason ?? (payment.error_reason === null ? null : say(payment.error_reason));
  const explorer = facts.explorers[payment.blockchain];
  return (
    <Screen title={t('payment')}>
      <p className="printed">
        {facts.name} · {t('receipt')}
      </p>
      <div className="amount receipt-head">
        {query.has('new') && !isVoid ? <Mark isOpen={isOpen} /> : <Avatar name={other} large />}
        <p className={`typed ${sizeOf(showAmount(payment.amount))} ${isVoid ? 'void' : ''}`}>
          {isIncoming ? '+' : '−'}
          {showAmount(payment.amount)} <small>USDC</small>
        </p>
        <p className="hint">
          {isBooking ? described.title : t(isIncoming ? 'payment.from' : 'payment.to', { name: described.title })}
        </p>
        {payment.payment_note && (
          <p className="quote" dir="auto">
            {payment.payment_note}
          </p>
        )}
        <p className={`state ${isVoid ? 'bad' : isOpen ? 'wait' : 'good'}`} role="status">
          {describeState(payment, isIncoming)}
        </p>
      </div>
      <Actions payment={payment} other={isRefund ? '' : other} isIncoming={isIncoming} isOpen={isOpen} />
      <dl className="facts">
        <Row label={t('from')}>{showSide(payment.from, payment)}</Row>
        <Row label={t('to')}>{showSide(payment.to, payment)}</Row>
        <Row label={t('date')}>{showTime(payment.created_at)}</Row>
        {payment.kind !== 'user' && <Row label={t('network')}>{payment.blockchain}</Row>}
        {!isIncoming && !isBooking && <Row label={t('fee')}>{t('fee.none')}</Row>}
        {why && (
          <Row label={t('reason')}>
            <span dir="auto">{why}</span>
          </Row>
        )}
        {payment.refund_of && (
          <Row label={t('refundOf')}>
            <Link to={`/payments/${payment.refund_of}`}>
              <code>{payment.refund_of}</code>
            </Link>
          </Row>
        )}
        {payment.tx_hash && (
          <Row label={t('hash')}>
            <code>{payment.tx_hash}</code>
            {explorer && (
              <a className="explorer unprinted" href={explorer + payment.tx_hash} target="_blank" rel="noreferrer">
                {t('explorer')}
              </a>
            )}
          </Row>
        )}
        <Row label={t('payment.id')}>
          <code>{payment.transaction_id}</code>
        </Row>
      </dl>
      <Timeline payment={payment} />
      {query.has('new') && (
        <div className="foot unprinted">
          <Button variant="main" onClick={() => go('/', { replace: true })}>
            {t('done')}
          </Button>
        </div>
      )}
    </Screen>
  );
}

const Mark = ({ isOpen }: { readonly isOpen: boolean }) => (
  <svg className={isOpen ? 'mark open' : 'mark'} viewBox="0 0 72 72" aria-hidden="true">
    <circle cx="36" cy="36" r="32" />
    <path d={isOpen ? 'M36 20v17l11 7' : 'M22 37l10 10 19-21'} />
  </svg>
);

function Actions({
  payment,
  other,
  isIncoming,
  isOpen,
}: {
  readonly payment: Transaction;
  /** Empty: there is no one to pay again. */
  readonly other: string;
  readonly isIncoming: boolean;
  readonly isOpen: boolean;
}) {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const again = isAddress(other)
    ? { address: other, blockchain: payment.blockchain, amount: payment.amount }
    : { username: other, amount: payment.amount };
  const cancel = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await florin.cancelTransaction(payment.transaction_id);
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
    refresh(`payment ${payment.transaction_id}`);
  };
  return (
    <div className="unprinted">
      <div className="wrap">
        {!isIncoming && other !== '' && (
          <Button icon="send" onClick={() => go(sendTo(again))}>
            {t('payAgain')}
          </Button>
        )}
        {isIncoming && other !== '' && !isAddress(other) && (
          <Button icon="send" onClick={() => go(sendTo({ username: other }))}>
            {t('payBack')}
          </Button>
        )}
        <Button icon="copy" onClick={() => void copy(`${location.origin}/payments/${payment.transaction_id}`)}>
          {t('copyLink')}
        </Button>
        <Button
          icon="share"
          onClick={() =>
            void share(
              t('share.payment', { amount: showAmount(payment.amount) }),
              `${location.origin}/payments/${payment.transaction_id}`,
            )
          }
        >
          {t('share')}
        </Button>
        <Button icon="print" onClick={() => print()}>
          {t('receipt')}
        </Button>
        {isOpen && !isIncoming && payment.state !== 'CONFIRMED' && (
          <Button variant="grave" icon="cross" busy={busy} onClick={() => void cancel()}>
            {t('cancelPayment')}
          </Button>
        )}
      </div>
      {error !== undefined && <Fault error={error} />}
    </div>
  );
}
