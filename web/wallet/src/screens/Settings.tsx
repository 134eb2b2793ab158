import type { BackendTypes } from '@florin/client';
import { useState } from 'react';
import { saveFile } from '../device.ts';
import { facts } from '../facts.ts';
import { currency, findPrice, listPrices, setCurrency } from '../money/currency.ts';
import { useMe, useOverview } from '../reads.ts';
import { refresh } from '../resource.ts';
import { useTitle } from '../router.tsx';
import { florin, logOut } from '../session.ts';
import { readStatement } from '../statement.ts';
import { useStore } from '../store.ts';
import { LANGUAGES, language, nameLanguage, setLanguage, t } from '../text/text.ts';
import { setTheme, THEMES, type Theme, theme } from '../theme.ts';
import { Icon } from '../ui/Icon.tsx';
import { Avatar, Fault, MenuLink, Screen } from '../ui/parts.tsx';

type User = BackendTypes['schemas']['User'];

export default function Settings({ user }: { readonly user: User }) {
  const title = t('settings');
  useTitle(title);
  const { data: me } = useMe();
  return (
    <Screen title={title} back={false}>
      <div className="card me">
        <Avatar name={user.username ?? ''} large />
        <div>
          <b>@{user.username}</b>
          <small>{user.email}</small>
        </div>
      </div>
      <nav className="menu" aria-label={t('settings.account')}>
        <MenuLink to="/settings/name" icon="person" label={t('name.change')} />
        <MenuLink to="/verify" icon="shield" label={t('verify')} note={me && t(`kyc.${me.kyc.status}`)} />
        <MenuLink to="/limits" icon="gauge" label={t('limits')} />
        <MenuLink to="/activity" icon="search" label={t('settings.activity')} />
        <MenuLink to="/settings/sessions" icon="devices" label={t('sessions')} />
        <MenuLink to="/settings/passkeys" icon="lock" label={t('passkeys')} />
        <MenuLink to="/settings/keys" icon="key" label={t('keys')} />
      </nav>
      {me && <Discoverable username={user.username ?? ''} chosen={me.discoverable} />}
      <Appearance />
      <Files username={user.username ?? ''} />
      <nav className="menu" aria-label={t('settings.leave')}>
        {facts.support_url && (
          <a className="menu-row" href={facts.support_url} target="_blank" rel="noreferrer">
            <Icon name="ask" />
            <span>{t('support')}</span>
          </a>
        )}
        <button type="button" className="menu-row" onClick={() => void logOut()}>
          <Icon name="leave" />
          <span>{t('logout')}</span>
        </button>
        <MenuLink to="/settings/close" icon="cross" label={t('close.account')} />
      </nav>
    </Screen>
  );
}

/** Whether strangers find this person: on the page of their link, and by their address. */
function Discoverable({ username, chosen }: { readonly username: string; readonly chosen: boolean }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // Shown at once; the answer may take a moment.
  const [wanted, setWanted] = useState<boolean>();
  const isOn = wanted ?? chosen;
  const choose = async (discoverable: boolean) => {
    setBusy(true);
    setError(undefined);
    setWanted(discoverable);
    try {
      await florin.changeSettings({ discoverable });
    } catch (caught) {
      setError(caught);
      setWanted(undefined);
    }
    refresh('me');
    setBusy(false);
  };
  return (
    <div className="menu">
      <label className="menu-row" htmlFor="discoverable">
        <Icon name="link" />
        <span>
          {t('discoverable')}
          <small className="hint">{t('discoverable.text', { name: username })}</small>
        </span>
        <input
          id="discoverable"
          type="checkbox"
          role="switch"
          checked={isOn}
          aria-checked={isOn}
          aria-busy={busy || undefined}
          onChange={(event) => void choose(event.currentTarget.checked)}
        />
      </label>
      {error !== undefined && <Fault error={error} />}
    </div>
  );
}

function Appearance() {
  const chosen = useStore(theme);
  const spoken = useStore(language);
  const { data: overview } = useOverview();
  useStore(currency);
  const prices = listPrices(overview?.rates ?? []);
  return (
    <div className="menu">
      <label className="menu-row" htmlFor="theme">
        <Icon name="sun" />
        <span>{t('theme')}</span>
        <select id="theme" value={chosen} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
          {THEMES.map((one) => (
            <option key={one} value={one}>
              {t(`theme.${one}`)}
            </option>
          ))}
        </select>
      </label>
      {prices.length > 1 && (
        <label className="menu-row" htmlFor="currency">
          <Icon name="gauge" />
          <span>{t('currency.choose')}</span>
          <select
            id="currency"
            value={findPrice(overview?.rates)?.currency}
            onChange={(event) => setCurrency(event.currentTarget.value)}
          >
            {prices.map((one) => (
              <option key={one.currency} value={one.currency}>
                {one.currency}
              </option>
            ))}
          </select>
        </label>
      )}
      <label className="menu-row" htmlFor="language">
        <Icon name="globe" />
        <span>{t('language')}</span>
        <select id="language" value={spoken} onChange={(event) => void setLanguage(event.currentTarget.value)}>
          {LANGUAGES.map((code) => (
            <option key={code} value={code} lang={code}>
              {nameLanguage(code)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** The person's downloads: their payments as a table, and all data that the service has about them. */
function Files({ username }: { readonly username: string }) {
  const [busy, setBusy] = useState<'statement' | 'export'>();
  const [error, setError] = useState<unknown>();
  const save = async (what: 'statement' | 'export') => {
    setBusy(what);
    setError(undefined);
    try {
      const day = new Date().toISOString().slice(0, 10);
      if (what === 'statement') saveFile(`${username}-${day}.csv`, 'text/csv', await readStatement());
      else {
        const account = JSON.stringify(await florin.exportAccount(), null, 2);
        saveFile(`${username}-${day}.json`, 'application/json', account);
      }
    } catch (caught) {
      setError(caught);
    }
    setBusy(undefined);
  };
  return (
    <div className="menu">
      {(['statement', 'export'] as const).map((what) => (
        <button
          type="button"
          key={what}
          className="menu-row"
          aria-busy={busy === what || undefined}
          onClick={() => busy === undefined && void save(what)}
        >
          {busy === what ? <i className="spinner" aria-hidden="true" /> : <Icon name="download" />}
          <span>{t(what === 'statement' ? 'settings.csv' : what)}</span>
        </button>
      ))}
      {error !== undefined && <Fault error={error} />}
    </div>
  );
}
