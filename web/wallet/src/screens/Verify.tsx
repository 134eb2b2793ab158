/** The identity check. Only this page may load the provider's scripts; it has its own policy. */
import { useEffect, useRef, useState } from 'react';
import { facts } from '../facts.ts';
import { useMe } from '../reads.ts';
import { refresh } from '../resource.ts';
import { ownPath, useRoute, useTitle } from '../router.tsx';
import { florin } from '../session.ts';
import { t } from '../text/text.ts';
import { Icon } from '../ui/Icon.tsx';
import { Bones, Button, Fault, Screen } from '../ui/parts.tsx';

const SUMSUB_SCRIPT = 'https://static.sumsub.com/idensic/static/sns-websdk-builder.js';

interface SumsubBuilder {
  withConf(conf: { lang: string }): SumsubBuilder;
  onMessage(listener: (type: string) => void): SumsubBuilder;
  build(): { launch(selector: string): void };
}

declare global {
  interface Window {
    snsWebSdk?: { init(token: string, renew: () => Promise<string>): SumsubBuilder };
  }
}

const newToken = async (): Promise<string> => {
  await florin.kyc.start();
  return (await florin.kyc.issueToken()).token;
};

async function loadSumsub(): Promise<void> {
  if (window.snsWebSdk) return;
  await new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = SUMSUB_SCRIPT;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error('the provider cannot be reached'));
    document.head.append(script);
  });
}

export default function Verify() {
  const title = t('verify');
  useTitle(title);
  const { data: me, error: unread } = useMe();
  const [error, setError] = useState<unknown>();
  const [page, setPage] = useState<string>();
  const [busy, setBusy] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const status = me?.kyc.status;
  const back = ownPath(useRoute().query.get('to'));

  // The provider notifies the service, and the service notifies us; polling covers delays.
  useEffect(() => {
    if (status !== 'started' && status !== 'pending' && status !== 'needs_input') return;
    const timer = setInterval(() => {
      florin.kyc.check().then(
        () => refresh('me'),
        () => {},
      );
    }, 15_000);
    return () => clearInterval(timer);
  }, [status]);

  const begin = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const token = await newToken();
      if (facts.kyc?.kind === 'page') {
        const url = new URL('/websdk', facts.kyc.url);
        url.searchParams.set('accessToken', token);
        setPage(url.href);
      } else {
        await loadSumsub();
        window
          .snsWebSdk!.init(token, newToken)
          .withConf({ lang: document.documentElement.lang })
          .onMessage((type) => {
            if (/StatusChanged|ApplicantSubmitted/.test(type)) void florin.kyc.check().then(() => refresh('me'));
          })
          .build()
          .launch('#provider');
      }
      refresh('me');
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
  };

  const isOver = status === 'approved' || ((status === 'rejected' || status === 'revoked') && !me?.kyc.can_retry);
  return (
    <Screen title={title}>
      {!me && (unread === undefined ? <Bones count={2} /> : <Fault error={unread} />)}
      {me && (
        <div className="card verify" role="status">
          <span className={`empty-icon ${status === 'approved' ? 'good' : ''}`}>
            <Icon name={status === 'approved' ? 'check' : 'shield'} size={28} />
          </span>
          <b>{t(`kyc.${status}`)}</b>
          <p className="hint">{t(`kyc.${status}.text`)}</p>
          {me.kyc.reasons.length > 0 && (
            <ul className="reasons">
              {me.kyc.reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          )}
        </div>
      )}
      {error !== undefined && <Fault error={error} />}
      {page && status !== 'pending' && (
        <a className="button main" href={page} target="_blank" rel="noreferrer">
          {t('verify.open')}
        </a>
      )}
      {me && !page && !isOver && facts.kyc && (
        <Button variant={status === 'pending' ? 'quiet' : 'main'} busy={busy} onClick={() => void begin()}>
          {t(status === 'none' ? 'verify.begin' : status === 'pending' ? 'verify.again' : 'verify.goOn')}
        </Button>
      )}
      {!facts.kyc && <p className="hint">{t('verify.none')}</p>}
      <div id="provider" ref={frame} />
      <a className={`button ${status === 'approved' && back !== '/' ? 'main' : 'quiet'}`} href={back}>
        {t(back === '/' ? 'home.back' : status === 'approved' ? 'continue' : 'back')}
      </a>
    </Screen>
  );
}
