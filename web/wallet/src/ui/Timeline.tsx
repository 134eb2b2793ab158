import { isFinal, type Transaction } from '@florin/client';
import { Link } from '../router.tsx';
import { say, showTime, t } from '../text/text.ts';

/** The steps of a payment. One that was complete at once has only one, which the receipt has said already. */
export function Timeline({ payment }: { readonly payment: Transaction }) {
  if (payment.timeline.length < 2) return null;
  return (
    <section className="timeline-box unprinted" aria-label={t('timeline')}>
      <h2>{t('timeline')}</h2>
      <ol className={isFinal(payment.state) ? 'timeline' : 'timeline open'}>
        {payment.timeline.map((step, nth) => (
          <li key={`${step.at} ${nth}`}>
            <b>{step.state ? t(`step.${step.state}`) : t('step.event')}</b>
            <time dateTime={step.at}>{showTime(step.at)}</time>
            {step.note && <Note note={step.note} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

const ID = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/;

/** A note may name another payment: a refund, or the payment that it refunds. */
const Note = ({ note }: { readonly note: string }) => (
  <small>
    {say(note)
      .split(ID)
      .map((part, nth) =>
        nth % 2 === 1 ? (
          <Link key={part} to={`/payments/${part}`}>
            {t('thatPayment')}
          </Link>
        ) : (
          part
        ),
      )}
  </small>
);
