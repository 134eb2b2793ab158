/** The frame around all screens: the brand, the navigation, and the line about pauses. */
import type { ComponentChildren } from 'preact';
import { facts } from '../facts.ts';
import { dismiss, notices } from '../notices.ts';
import { useOpenRequests } from '../reads.ts';
import { Link, usePath, useRoute } from '../router.tsx';
import { useStore } from '../store.ts';
import { t } from '../text/text.ts';
import { Icon, type IconName } from './Icon.tsx';
import { PauseLine } from './PauseLine.tsx';

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

/** Every other screen is a step of a flow: on a phone, its main action takes the place of the navigation. */
const hasBar = (path: string): boolean => ['/', '/requests', '/settings'].includes(path);

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useRoute();
  return (
    <div className={hasBar(path) ? 'app' : 'app flow'}>
      <a className="skip" href="#main">
        {t('skip')}
      </a>
      <Menu />
      <main id="main" className="main">
        <div className="banners">
          <PauseLine />
          {facts.sandbox && <p className="banner play">{t('sandbox')}</p>}
        </div>
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

function Notices() {
  const shown = useStore(notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map(({ id, text, to, note }) => (
        <div key={id} className="notice">
          <span className="notice-words">
            {to ? <Link to={to}>{text}</Link> : text}
            {note && <small dir="auto">{note}</small>}
          </span>
          <button type="button" className="icon-button small" aria-label={t('close')} onClick={() => dismiss(id)}>
            <Icon name="cross" size={18} />
          </button>
        </div>
      ))}
    </div>
  );
}
