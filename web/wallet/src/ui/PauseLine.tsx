/** One line about everything that is paused or out of date. It opens when there is more to say. */
import { useEffect, useState } from 'react';
import { useMe } from '../reads.ts';
import { refresh } from '../resource.ts';
import { connection } from '../session.ts';
import { useStore } from '../store.ts';
import { say, t } from '../text/text.ts';
import { Icon } from './Icon.tsx';

/** No event reports a pause for everyone, so it is polled. */
const PAUSES_MS = 30_000;

interface Cause {
  /** A few words, if this is the only cause. */
  readonly short: string;
  readonly text: string;
}

export function PauseLine() {
  const causes = useCauses();
  const [first] = causes;
  return (
    <div role="status">
      {first && (
        <details className="pauses">
          <summary>
            <Icon name="warn" size={18} />
            <span>{causes.length === 1 ? first.short : t('paused.several', { count: String(causes.length) })}</span>
            <Icon name="next" size={16} />
          </summary>
          {causes.map(({ text }) => (
            <p key={text}>{text}</p>
          ))}
        </details>
      )}
    </div>
  );
}

function useCauses(): Cause[] {
  const isOffline = useOffline();
  const { data: me } = useMe();
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && refresh('me'), PAUSES_MS);
    return () => clearInterval(timer);
  }, []);
  const describe = (kind: string, values = {}): Cause => ({
    short: t(`${kind}.short`, values),
    text: t(kind, values),
  });
  return [
    ...(isOffline ? [describe('offline')] : []),
    ...(me?.limits.paused ? [describe('pausedForYou', { reason: say(me.limits.paused) })] : []),
    ...(me?.pauses ?? []).map(({ payments, blockchain, reason }) =>
      describe(`paused.${blockchain === null ? payments : 'blockchain'}`, {
        reason: say(reason),
        blockchain: blockchain ?? '',
      }),
    ),
  ];
}

function useOffline(): boolean {
  const isLost = useStore(connection) === 'lost';
  const [isOff, setOff] = useState(!navigator.onLine);
  useEffect(() => {
    const check = () => setOff(!navigator.onLine);
    addEventListener('online', check);
    addEventListener('offline', check);
    return () => {
      removeEventListener('online', check);
      removeEventListener('offline', check);
    };
  }, []);
  return isOff || isLost;
}
