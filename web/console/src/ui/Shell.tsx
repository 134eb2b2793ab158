/** The frame around all screens: places, search, and who is logged in. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'react';
import { dismiss, notices } from '../../../wallet/src/notices.ts';
import { Link, usePath } from '../../../wallet/src/router.tsx';
import { useStore } from '../../../wallet/src/store.ts';
import { Icon } from '../../../wallet/src/ui/Icon.tsx';
import { connection } from '../api.ts';
import { useBadges } from '../badges.ts';
import type { SessionState } from '../contract/session.ts';
import { facts } from '../facts.ts';
import { help, listenToKeys } from '../keys.ts';
import { PLACES } from '../places.ts';
import { t } from '../text/text.ts';
import { SearchBox } from './SearchBox.tsx';
import { Shortcuts } from './Shortcuts.tsx';
import { count, Tag } from './show.tsx';

export const Brand = () => (
  <span className="brand">
    <img src="/icon.svg" alt="" width="28" height="28" />
    <bdi>{facts.name}</bdi>
  </span>
);

type Open = Extract<SessionState, { state: 'open' }>;

export function Shell({ session, children }: { readonly session: Open; readonly children: ComponentChildren }) {
  useEffect(listenToKeys, []);
  const isLost = useStore(connection) === 'lost';
  return (
    <div className="app console">
      <a className="skip" href="#main">
        {t('skip')}
      </a>
      <Menu />
      <div className="column">
        <header className="top">
          <SearchBox />
          <button type="button" className="button quiet small hint-key" onClick={() => help.set(true)}>
            <kbd>?</kbd> {t('shortcuts')}
          </button>
          <Link to="/settings" className="operator">
            <bdi>{session.operator}</bdi> <Tag>{t(`role.${session.role}`)}</Tag>
          </Link>
        </header>
        <main id="main" className="main">
          <div className="banners">
            {isLost && (
              <p className="banner" role="alert">
                {t('offline')}
              </p>
            )}
            {facts.sandbox && <p className="banner play">{t('sandbox')}</p>}
          </div>
          {children}
        </main>
      </div>
      <Shortcuts />
      <Notices />
    </div>
  );
}

const isIn = (path: string, to: string): boolean => (to === '/' ? path === '/' : path.startsWith(to));

function Menu() {
  const path = usePath();
  const badges = useBadges();
  const isElsewhere = !PLACES.some(({ to, isFirst }) => isFirst && isIn(path, to));
  return (
    <nav className="nav" aria-label={t('nav')}>
      <Link to="/" className="nav-brand" aria-label={facts.name}>
        <Brand />
      </Link>
      {PLACES.map(({ to, icon, label, isFirst }) => {
        const open = badges[to] ?? 0;
        return (
          <Link
            key={to}
            to={to}
            className={isFirst ? 'nav-row' : 'nav-row wide-only'}
            aria-current={isIn(path, to) ? 'page' : undefined}
          >
            <Icon name={icon} size={22} />
            <span>{t(label)}</span>
            {open > 0 && (
              <b className="badge">
                {count(open)}
                <span className="unseen"> {t('nav.open')}</span>
              </b>
            )}
          </Link>
        );
      })}
      <Link to="/menu" className="nav-row narrow-only" aria-current={isElsewhere ? 'page' : undefined}>
        <Icon name="menu" size={22} />
        <span>{t('nav.more')}</span>
      </Link>
    </nav>
  );
}

function Notices() {
  const shown = useStore(notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <div key={id} className="notice">
          <span>{text}</span>
          <button type="button" className="icon-button small" aria-label={t('close')} onClick={() => dismiss(id)}>
            <Icon name="cross" size={18} />
          </button>
        </div>
      ))}
    </div>
  );
}
