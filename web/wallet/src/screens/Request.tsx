import { type BackendTypes, FlorinError, toMicros } from '@florin/client';
import { lazy, Suspense, useState } from 'react';
import { copy, share } from '../device.ts';
import { facts } from '../facts.ts';
import { refreshMoney } from '../live.ts';
import { showAmount, sizeOf } from '../money/amounts.ts';
import { seedPayment, useOverview, useRequest } from '../reads.ts';
import { refresh } from '../resource.ts';
import { go, Link, useTitle } from '../router.tsx';
import { florin } from '../session.ts';
import { showTime, t } from '../text/text.ts';
import { Avatar, Bone, Bones, Button, Fault, Row, Screen } from '../ui/parts.tsx';
import { otherOf } from './Requests.tsx';

// Few people have passkeys.
const Confirm = lazy(() => import('./passkeys/Confirm.tsx'));
const QrCode = lazy(() => import('../ui/QrCode.tsx'));
type MoneyRequest = BackendTypes['schemas']['MoneyRequest'];

export default function Request({ id }: { readonly id: string }) {
  const { data: request, error } = useRequest(id);
  const title = t(request?.direction === 'outgoing' ? 'request.yours' : 'request');
  useTitle(title);
  if (!request) {
    return <Screen title={title}>{error === undefined ? <Bones count={3} /> : <Fault error={error} />}</Screen>;
  }
  const other = otherOf(request);
  const isOpen = request.state === 'open';
  return (
    <Screen title={title}>
      <div className="amount">
        <Avatar name={other ?? ''} large />
        <p className={`typed ${sizeOf(showAmount(request.amount))}`}>
          {showAmount(request.amount)} <small>USDC</small>
        </p>
        <p className="hint">
          {request.direction === 'incoming'
            ? t('request.asks', { name: other ? `@${other}` : t('someone') })
            : other
              ? t('request.from', { name: `@${other}` })
              : t('request.anyone')}
        </p>
        {request.note && (
          <p className="quote" dir="auto">
            {request.note}
          </p>
        )}
        <p className={`state ${isOpen ? 'wait' : request.state === 'paid' ? 'good' : 'bad'}`} role="status">
          {t(`request.${request.state}`)}
        </p>
      </div>
      {isOpen && request.direction === 'outgoing' && <Own request={request} />}
      {request.state === 'paid' && request.transaction_id && (
        <Link className="button soft" to={`/payments/${request.transaction_id}`}>
          {t('request.payment')}
        </Link>
      )}
      <dl className="facts">
        <Row label={t('date')}>{showTime(request.created_at)}</Row>
        {isOpen && <Row label={t('request.until')}>{showTime(request.expires_at)}</Row>}
      </dl>
      {isOpen && request.direction === 'incoming' && <Answer request={request} />}
    </Screen>
  );
}

const deedOf = ({ amount, asker_username: asker }: MoneyRequest) => ({
  deed: 'payment' as const,
  amount,
  receiver_username: asker ?? '',
});

/** The request's id is the id of its payment, so it cannot be paid twice. */
function Answer({ request }: { readonly request: MoneyRequest }) {
  const [busy, setBusy] = useState<'pay' | 'decline'>();
  const [error, setError] = useState<unknown>();
  const { data: overview } = useOverview();
  const balance = overview?.balances.find(({ blockchain }) => blockchain === facts.home_blockchain)?.available;
  const isGuarded = error instanceof FlorinError && error.code === 'passkey.required';
  const act = async (what: 'pay' | 'decline') => {
    setBusy(what);
    setError(undefined);
    try {
      if (what === 'pay') seedPayment(await florin.requests.pay(request.request_id));
      else await florin.requests.decline(request.request_id);
      refreshMoney();
      refresh('requests');
      if (what === 'pay') go(`/payments/${request.request_id}?new`, { replace: true });
    } catch (caught) {
      setError(caught);
    }
    setBusy(undefined);
    refresh(`request ${request.request_id}`);
  };
  return (
    <>
      {balance !== undefined && <p className="hint center">{t('available', { amount: showAmount(balance) })}</p>}
      {balance !== undefined && toMicros(balance) < toMicros(request.amount) && (
        <Link className="button soft" to="/receive">
          {t('start.receive')}
        </Link>
      )}
      {isGuarded && (
        <Suspense fallback={<Bone kind="square" />}>
          <Confirm
            deed={{ ...deedOf(request), payment_id: request.request_id }}
            what={t('pay', { amount: showAmount(request.amount) })}
            onConfirmed={() => act('pay')}
          />
        </Suspense>
      )}
      {error !== undefined && !isGuarded && <Fault error={error} />}
      {error instanceof FlorinError && error.outcomeUnknown && <p className="banner">{t('request.repeat')}</p>}
      <div className={`pair foot ${sizeOf(showAmount(request.amount))}`}>
        {!request.by_link && (
          <Button busy={busy === 'decline'} onClick={() => void act('decline')}>
            {t('decline')}
          </Button>
        )}
        <Button variant="main" busy={busy === 'pay'} onClick={() => void act('pay')}>
          {t('pay', { amount: showAmount(request.amount) })}
        </Button>
      </div>
    </>
  );
}

function Own({ request }: { readonly request: MoneyRequest }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const link = `${location.origin}/requests/${request.request_id}`;
  const cancel = async () => {
    setBusy(true);
    await florin.requests.cancel(request.request_id).catch(setError);
    setBusy(false);
    refresh('request');
  };
  return (
    <>
      {request.by_link && (
        <div className="card receive">
          <Suspense fallback={<Bone kind="square" />}>
            <QrCode text={link} label={t('request.qr')} />
          </Suspense>
          <p className="hint">{t('request.link.text')}</p>
          <div className="pair">
            <Button icon="copy" onClick={() => void copy(link)}>
              {t('copyLink')}
            </Button>
            <Button
              icon="share"
              onClick={() => void share(t('request.share', { amount: showAmount(request.amount) }), link)}
            >
              {t('share')}
            </Button>
          </div>
        </div>
      )}
      {error !== undefined && <Fault error={error} />}
      <Button variant="grave" busy={busy} onClick={() => void cancel()}>
        {t('request.cancel')}
      </Button>
    </>
  );
}
