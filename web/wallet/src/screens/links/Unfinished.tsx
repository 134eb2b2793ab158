import type { BackendTypes } from '@florin/client';
import { useEffect, useState } from 'react';
import { showAmount, sizeOf } from '../../money/amounts.ts';
import { showParty } from '../../money/describePayment.ts';
import { discard, type Intent, lookUp, payOld } from '../../money/intents.ts';
import { go, useTitle } from '../../router.tsx';
import { florin } from '../../session.ts';
import { showTime, t } from '../../text/text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Bones, Button, Fault, Screen } from '../../ui/parts.tsx';
import { PreviewFacts } from '../PreviewFacts.tsx';

type Found = Awaited<ReturnType<typeof lookUp>>;
type Preview = BackendTypes['schemas']['Preview'];

/** A payment that was confirmed long ago. The person sees what became of it, and decides. */
export function Unfinished({ intent }: { readonly intent: Intent }) {
  const title = t('unfinished');
  useTitle(title);
  const [found, setFound] = useState<Found>();
  const [error, setError] = useState<unknown>();
  const { to, amount, note } = intent;
  const look = () => {
    setError(undefined);
    lookUp(intent).then(setFound, setError);
  };
  useEffect(look, [intent.key]);
  const values = {
    name: showParty('username' in to ? to.username : to.address),
    amount: showAmount(amount),
    time: showTime(new Date(intent.startedAt).toISOString()),
  };
  return (
    <Screen title={title}>
      <p className="lead">{t('unfinished.what', values)}</p>
      {note && (
        <p className="quote" dir="auto">
          {note}
        </p>
      )}
      {error !== undefined && <Fault error={error} retry={look} />}
      {!found && error === undefined && <Bones count={2} />}
      {found && (
        <p className={found.outcome === 'accepted' ? 'banner good' : 'banner'} role="status">
          <Icon name={found.outcome === 'accepted' ? 'check' : 'warn'} size={20} />
          {t(`unfinished.${found.outcome}`)}
        </p>
      )}
      {found?.outcome === 'none' && <Decision intent={intent} />}
      {found && found.outcome !== 'none' && (
        <div className="foot">
          <Button
            variant="main"
            onClick={() => {
              discard(intent);
              go(found.outcome === 'accepted' ? `/payments/${found.transactionId}` : '/', { replace: true });
            }}
          >
            {t(found.outcome === 'accepted' ? 'request.payment' : 'home.back')}
          </Button>
        </div>
      )}
    </Screen>
  );
}

/** It was not paid: what paying it would do now. */
function Decision({ intent }: { readonly intent: Intent }) {
  const { to, amount } = intent;
  const [preview, setPreview] = useState<Preview>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const payee =
      'username' in to
        ? { receiver_username: to.username }
        : { destination_address: to.address, blockchain: to.blockchain };
    florin.preview({ amount, ...payee }).then(setPreview, setError);
  }, [intent.key]);
  const leave = () => {
    discard(intent);
    go('/', { replace: true });
  };
  return (
    <>
      {preview && <PreviewFacts preview={preview} />}
      {!preview && (error === undefined ? <Bones count={3} /> : <Fault error={error} />)}
      <div className={`pair foot ${sizeOf(showAmount(amount))}`}>
        <Button onClick={leave}>{t('unfinished.discard')}</Button>
        {preview && (
          <Button variant="main" onClick={() => payOld(intent)}>
            {t('pay', { amount: showAmount(amount) })}
          </Button>
        )}
      </div>
    </>
  );
}
