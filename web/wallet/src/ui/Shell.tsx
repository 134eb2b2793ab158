/** The frame around all screens: the brand, the navigation, and the current banners. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'react';
import { facts } from '../facts.ts';
import { dismiss, notices } from '../notices.ts';
import { useMe, useOpenRequests } from '../reads.ts';
import { refresh } from '../resource.ts';
import { Link, usePath } from '../router.tsx';
import { connection } from '../session.ts';
import { useStore } from '../store.ts';
import { t } from '../text/text.ts';
import { Icon, type IconName } from './Icon.tsx';

export const Brand = () => (
  <span className="brand">
    <img src={facts.has_logo ? '/logo.svg' : '/icon.svg'} alt="" width="28" height="28" />
    {facts.name}
  </span>
);

const PLACES: readonly { readonly to: string; readonly icon: IconName; readonly label: string }[] = [
  { to: '/', icon: 'home', label: 'nav.home' },
  { to: '/send', icon: 'send', label: 'nav.send' },
  { to: '/receive', icon: 'receive', label: 'nav.receive' },
  { to: '/requests', icon: 'bell', label: 'nav.requests' },
  { to: '/settings', icon: 'settings', label: 'nav.settings' },
];

export function Shell({ children }: { readonly children: ComponentChildren }) {
  return (
    <div className="app">
      <a className="skip" href="#main">
        {t('skip')}
      </a>
      <Menu />
      <main id="main" className="main">
        <Banners />
        {children}
      </main>
      <Notices />
    </div>
  );
}

/** A separate component: it responds to a touch before anything else is drawn. */
function Menu() {
  const path = usePath();
  const open = useOpenRequests().data?.length ?? 0;
  return (
    <nav className="nav" aria-label={t('nav')}>
      <Link to="/" className="nav-brand" aria-label={facts.name}>
        <Brand />
      </Link>
      {PLACES.map(({ to, icon, label }) => {
        const isHere = to === '/' ? path === '/' : path.startsWith(to);
        return (
          <Link key={to} to={to} className="nav-row" aria-current={isHere ? 'page' : undefined}>
            <Icon name={icon} />
            <span>{t(label)}</span>
            {to === '/requests' && open > 0 && (
              <b className="badge">
                {open}
                <span className="unseen"> {t('nav.open')}</span>
              </b>
            )}
          </Link>
        );
      })}
    </nav>
  );
}

/** No event reports a pause for everyone, so it is polled. */
const PAUSES_MS = 30_000;

function Banners() {
  const isOffline = useOffline();
  const { data: me } = useMe();
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && refresh('me'), PAUSES_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="banners" role="status">
      {isOffline && (
        <p className="banner">
          <Icon name="warn" size={20} />
          {t('offline')}
        </p>
      )}
      {me?.pauses.map(({ payments, blockchain, reason }) => (
        <p key={`${payments} ${blockchain} ${reason}`} className="banner">
          <Icon name="warn" size={20} />
          {t(`paused.${blockchain === null ? payments : 'blockchain'}`, { reason, blockchain: blockchain ?? '' })}
        </p>
      ))}
      {me?.limits.paused && (
        <p className="banner">
          <Icon name="warn" size={20} />
          {t('pausedForYou', { reason: me.limits.paused })}
        </p>
      )}
      {facts.sandbox && <p className="banner play">{t('sandbox')}</p>}
    </div>
  );
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

function Notices() {
  const shown = useStore(notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map(({ id, text, to }) => (
        <div key={id} className="notice">
          {to ? <Link to={to}>{text}</Link> : <span>{text}</span>}
          <button type="button" className="icon-button small" aria-label={t('close')} onClick={() => dismiss(id)}>
            <Icon name="cross" size={18} />
          </button>
        </div>
      ))}
    </div>
  );
}
