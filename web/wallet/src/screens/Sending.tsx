import { lazy, Suspense, useEffect } from 'react';
import { showAmount } from '../money/amounts.ts';
import { showParty } from '../money/describePayment.ts';
import { discard, findIntent, type Intent, payOld, useOutcome } from '../money/intents.ts';
import { go, useTitle } from '../router.tsx';
import { t } from '../text/text.ts';
import { Icon } from '../ui/Icon.tsx';
import { Bones, Button, Fault, Screen } from '../ui/parts.tsx';
import { Unfinished } from './links/Unfinished.tsx';

// Few people have passkeys.
const Confirm = lazy(() => import('./passkeys/Confirm.tsx'));

const toDestination = (to: { readonly address: string; readonly blockchain: string }) => ({
  destination_address: to.address,
  blockchain: to.blockchain,
});

/** The person does not confirm it: nothing was paid. */
function give(intent: Intent): void {
  discard(intent);
  go('/', { replace: true });
}

/** A payment between confirmation and answer. Reloading this page continues the same payment. */
export default function Sending({ intentKey }: { readonly intentKey: string }) {
  const outcome = useOutcome(intentKey);
  return outcome?.is === 'old' ? (
    <Unfinished intent={outcome.intent} />
  ) : (
    <UnderWay intentKey={intentKey} outcome={outcome} />
  );
}

interface UnderWayProps {
  readonly intentKey: string;
  readonly outcome: Exclude<ReturnType<typeof useOutcome>, { readonly is: 'old' }>;
}

function UnderWay({ intentKey, outcome }: UnderWayProps) {
  const intent = findIntent(intentKey);
  const is = outcome?.is ?? (intent ? 'sending' : 'gone');
  useTitle(t(`sending.${is}`));
  const accepted = outcome?.is === 'accepted' ? outcome.transactionId : undefined;
  useEffect(() => {
    if (accepted !== undefined) go(`/payments/${accepted}?new`, { replace: true });
  }, [accepted]);
  const name = intent && showParty('username' in intent.to ? intent.to.username : intent.to.address);

  if (outcome?.is === 'passkey') {
    const { to, amount } = outcome.intent;
    const receiver = 'username' in to ? { receiver_username: to.username } : toDestination(to);
    return (
      <Screen title={t('sending.passkey')}>
        <Suspense fallback={<Bones count={2} />}>
          <Confirm
            deed={{ deed: 'payment', payment_id: outcome.paymentId, amount, ...receiver }}
            what={t('sending.what', { amount: showAmount(amount), name: name ?? '' })}
            onConfirmed={() => payOld(outcome.intent)}
          />
        </Suspense>
        <Button variant="quiet" onClick={() => give(outcome.intent)}>
          {t('passkey.notNow')}
        </Button>
      </Screen>
    );
  }
  if (outcome?.is === 'refused') {
    return (
      <Screen title={t('sending.refused')}>
        <Fault error={outcome.error} />
        <div className="foot">
          <Button variant="main" onClick={() => go('/', { replace: true })}>
            {t('home.back')}
          </Button>
        </div>
      </Screen>
    );
  }
  return (
    <div className="screen sending" role="status">
      <span className={`pulse ${is}`}>
        <Icon name={is === 'sending' || is === 'accepted' ? 'send' : is === 'checking' ? 'clock' : 'check'} size={32} />
      </span>
      <h1 tabIndex={-1}>{t(`sending.${is}`)}</h1>
      {intent && <p className="lead">{t('sending.what', { amount: showAmount(intent.amount), name: name ?? '' })}</p>}
      {is === 'checking' && <p className="hint">{t('sending.checking.text')}</p>}
      {is === 'gone' && (
        <>
          <p className="hint">{t('sending.gone.text')}</p>
          <Button onClick={() => go('/', { replace: true })}>{t('home.back')}</Button>
        </>
      )}
    </div>
  );
}
