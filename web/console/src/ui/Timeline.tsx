/** What happened to a payment, step by step, with what only operators read. */
import type { PaymentDetail } from '../contract/payments.ts';
import { findText, say, t } from '../text/text.ts';
import { Linked } from './Linked.tsx';
import { Hash, Time } from './show.tsx';

type Detail = NonNullable<PaymentDetail['payment']>;

const FINAL = ['COMPLETE', 'FAILED', 'DENIED', 'CANCELLED'];

export function Timeline({ payment }: { readonly payment: Detail }) {
  const { timeline, details, state, blockchain } = payment;
  return (
    <ol className={FINAL.includes(state) ? 'timeline' : 'timeline open'}>
      {timeline.map((step, nth) => {
        const detail = details.find(({ at }) => at === step.at)?.detail;
        return (
          <li key={`${step.at} ${nth}`}>
            <b>{step.state === null ? t('step.event') : (findText(`state.${step.state}`) ?? step.state)}</b>
            <Time at={step.at} />
            {(detail ?? step.note) && (
              <small>
                <Linked text={say((detail ?? step.note)!)} />
              </small>
            )}
            {step.tx_hash !== null && step.tx_hash !== payment.tx_hash && (
              <small>
                <Hash hash={step.tx_hash} blockchain={blockchain} />
              </small>
            )}
          </li>
        );
      })}
    </ol>
  );
}
