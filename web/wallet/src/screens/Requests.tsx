import type { BackendTypes } from '@florin/client';
import { useState } from 'react';
import { showAmount } from '../money/amounts.ts';
import { showParty } from '../money/describePayment.ts';
import { useRequests } from '../reads.ts';
import { Link, useTitle } from '../router.tsx';
import { showDay, t } from '../text/text.ts';
import { Avatar, Bones, Choice, Empty, Fault, Screen } from '../ui/parts.tsx';

type MoneyRequest = BackendTypes['schemas']['MoneyRequest'];

export const otherOf = (request: MoneyRequest): string | null =>
  request.direction === 'incoming' ? request.asker_username : request.payer_username;

export default function Requests() {
  const title = t('requests');
  useTitle(title);
  const [direction, setDirection] = useState<'incoming' | 'outgoing'>('incoming');
  return (
    <Screen
      title={title}
      back={false}
      actions={
        <Link className="button soft small" to="/ask">
          {t('nav.ask')}
        </Link>
      }
    >
      <Choice
        id="direction"
        label={t('requests.which')}
        options={{ incoming: t('requests.incoming'), outgoing: t('requests.outgoing') }}
        chosen={direction}
        onChoose={setDirection}
      />
      <RequestList key={direction} direction={direction} />
    </Screen>
  );
}

function RequestList({ direction }: { readonly direction: 'incoming' | 'outgoing' }) {
  const { data, error } = useRequests(direction);
  if (!data) return error === undefined ? <Bones count={4} /> : <Fault error={error} />;
  if (data.length === 0) {
    return (
      <Empty icon="ask" title={t(`requests.${direction}.none`)}>
        <p>{t('requests.none.text')}</p>
      </Empty>
    );
  }
  return (
    <ul className="day">
      {data.map((request) => (
        <li key={request.request_id} className="payment">
          <Link to={`/requests/${request.request_id}`}>
            <Avatar name={otherOf(request) ?? ''} />
            <span className="payment-who">
              <b>{otherOf(request) ? showParty(otherOf(request) ?? '') : t('request.byLink')}</b>
              <small>
                {request.state === 'open' && <i className="dot" aria-hidden="true" />}
                {t(`request.${request.state}`)} · {showDay(request.created_at)}
              </small>
              {request.note && (
                <small className="note" dir="auto">
                  {request.note}
                </small>
              )}
            </span>
            <span className={`payment-amount ${request.state === 'open' || request.state === 'paid' ? '' : 'void'}`}>
              {showAmount(request.amount)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
