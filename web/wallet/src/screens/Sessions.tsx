import { useState } from 'react';
import { useSessions } from '../reads.ts';
import { refresh } from '../resource.ts';
import { useTitle } from '../router.tsx';
import { florin, logOut } from '../session.ts';
import { showTime, t } from '../text/text.ts';
import { Icon } from '../ui/Icon.tsx';
import { Bones, Button, Fault, Screen } from '../ui/parts.tsx';

/** `Mozilla/5.0 (X11; Linux x86_64) … Chrome/150.0 …` as `Chrome, Linux`. */
function describeDevice(agent: string | null): string {
  const find = (names: readonly (readonly [RegExp, string])[]) => names.find(([form]) => form.test(agent ?? ''))?.[1];
  const browser = find([
    [/Edg\//, 'Edge'],
    [/Firefox\//, 'Firefox'],
    [/Chrom/, 'Chrome'],
    [/Safari\//, 'Safari'],
  ]);
  const system = find([
    [/iPhone|iPad/, 'iOS'],
    [/Android/, 'Android'],
    [/Windows/, 'Windows'],
    [/Mac OS/, 'macOS'],
    [/Linux/, 'Linux'],
  ]);
  return [browser, system].filter(Boolean).join(', ') || t('session.app');
}

export default function Sessions() {
  const title = t('sessions');
  useTitle(title);
  const { data, error: unread } = useSessions();
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<unknown>();

  const end = async (sessionId: string) => {
    setBusy(sessionId);
    setError(undefined);
    await florin.sessions.end(sessionId).catch(setError);
    setBusy(undefined);
    refresh('sessions');
  };
  const endAll = async () => {
    setBusy('all');
    try {
      await florin.sessions.endAll();
      await logOut();
    } catch (caught) {
      setError(caught);
      setBusy(undefined);
    }
  };

  return (
    <Screen title={title}>
      <p className="lead">{t('sessions.text')}</p>
      {!data && (unread === undefined ? <Bones count={3} /> : <Fault error={unread} />)}
      <ul className="menu">
        {data?.map((one) => (
          <li key={one.session_id} className="menu-row">
            <Icon name="devices" />
            <span className="payment-who">
              <b>{describeDevice(one.user_agent)}</b>
              <small>{one.current ? t('session.here') : t('session.used', { time: showTime(one.last_used_at) })}</small>
            </span>
            {!one.current && (
              <Button
                variant="grave"
                busy={busy === one.session_id}
                onClick={() => void end(one.session_id)}
                label={t('session.endThat', { device: describeDevice(one.user_agent) })}
              >
                {t('session.end')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {error !== undefined && <Fault error={error} />}
      <Button variant="grave" icon="leave" busy={busy === 'all'} onClick={() => void endAll()}>
        {t('logout.everywhere')}
      </Button>
    </Screen>
  );
}
