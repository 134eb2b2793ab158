import { useState } from 'react';
import { useRoute, useTitle } from '../../../wallet/src/router.tsx';
import { Avatar, Button, Field } from '../../../wallet/src/ui/plain.tsx';
import { ConsoleFault } from '../api.ts';
import { facts } from '../facts.ts';
import { loginPath, logOut, openSession, type Session, sendPassword } from '../session.ts';
import { findText, t } from '../text/text.ts';
import { Fault } from '../ui/page.tsx';
import { Brand } from '../ui/Shell.tsx';
import { withQuery } from '../urls.ts';

type Outside = Exclude<Session, { state: 'open' }>;

/** For operators who are not logged in. After the login, the page that they opened returns. */
export default function Login({ state }: { readonly state: Outside }) {
  useTitle(`${t('login')} · ${facts.name}`);
  return (
    <main className="welcome" id="main">
      <div className="welcome-words">
        <Brand />
        <h1 tabIndex={-1}>{t('login.title')}</h1>
        <p>{t('login.text')}</p>
      </div>
      <div className="welcome-doors">{doorOf(state)}</div>
    </main>
  );
}

function doorOf(state: Outside) {
  if (state.state === 'unreachable') return <Unreachable />;
  return state.state === 'password' ? <Password operator={state.operator} /> : <Provider why={state.why} />;
}

const Unreachable = () => (
  <>
    <p className="banner" role="alert">
      {t('offline')}
    </p>
    <Button variant="main" onClick={() => void openSession()}>
      {t('tryAgain')}
    </Button>
  </>
);

function Provider({ why }: { readonly why?: string | undefined }) {
  const { path, query } = useRoute();
  const kept = new URLSearchParams(query);
  kept.delete('login');
  const target = withQuery(path, kept);
  const message = findText(`login.${query.get('login') ?? why ?? ''}`);
  return (
    <>
      {message && (
        <p className="banner" role="alert">
          {message}
        </p>
      )}
      <a className="button main" href={loginPath(target)}>
        {t('login.provider')}
      </a>
      {facts.sandbox && (
        <section className="people" aria-labelledby="people">
          <h2 id="people">{t('login.as')}</h2>
          <ul>
            {facts.sandbox.operators.map(({ name, role }) => (
              <li key={name}>
                <a href={loginPath(target, name)}>
                  <Avatar name={name} />
                  <span>
                    {name}
                    {name !== role && <small> {t(`role.${role}`)}</small>}
                  </span>
                </a>
              </li>
            ))}
          </ul>
          <p className="hint">{t('login.as.text')}</p>
        </section>
      )}
    </>
  );
}

/** The operator's own login of the database: PostgreSQL knows the person by it. */
function Password({ operator }: { readonly operator: string }) {
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const isWrong = error instanceof ConsoleFault && error.code === 'console.password_wrong';
  async function send(): Promise<void> {
    setBusy(true);
    setError(undefined);
    await sendPassword(typed).catch((refused: unknown) => {
      setError(refused);
      if (refused instanceof ConsoleFault && refused.code === 'console.login_required') void openSession();
    });
    setBusy(false);
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed !== '') void send();
      }}
    >
      {/* For password managers, which store a password under a name. */}
      <input
        className="unseen"
        type="text"
        name="username"
        autoComplete="username"
        value={operator}
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
      <Field
        id="password"
        type="password"
        label={t('password', { operator })}
        hint={t('password.hint')}
        fault={isWrong ? t('fault.console.password_wrong') : undefined}
        autoComplete="current-password"
        value={typed}
        autoFocus
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      {error !== undefined && !isWrong && <Fault error={error} />}
      <Button type="submit" variant="main" busy={busy} disabled={typed === ''}>
        {t('login')}
      </Button>
      <Button variant="quiet" onClick={() => void logOut()}>
        {t('login.other')}
      </Button>
    </form>
  );
}
