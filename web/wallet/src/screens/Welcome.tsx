import { lazy, Suspense } from 'react';
import { facts } from '../facts.ts';
import { readPayLink, writePayLink } from '../money/payLink.ts';
import { useRoute, useTitle } from '../router.tsx';
import { openSession, session } from '../session.ts';
import { useStore } from '../store.ts';
import { findText, t } from '../text/text.ts';
import { Avatar, Bone, Button } from '../ui/parts.tsx';
import { Brand } from '../ui/Shell.tsx';

const Invitation = lazy(() => import('./links/Invitation.tsx'));

/** For people who are not logged in. After the login, the page that they opened returns. */
export default function Welcome() {
  useTitle(facts.name);
  const { path, query } = useRoute();
  const state = useStore(session);
  const because = state.is === 'out' ? state.because : undefined;
  const message = findText(`login.${query.get('login') ?? because ?? ''}`);
  const target = targetOf(path, query);
  const loginAt = (as?: string) => {
    const asked = new URLSearchParams({ ...(target !== '/' && { to: target }), ...(as && { as }) });
    return `/session/login?${asked}`;
  };
  return (
    <main className="welcome" id="main">
      <div className="welcome-words">
        <Brand />
        {/^\/(pay|requests)\/./.test(path) ? (
          <Suspense fallback={<Bone kind="tall w7" />}>
            <Invitation path={path} />
          </Suspense>
        ) : (
          <>
            <h1 tabIndex={-1}>{facts.welcome ?? t('welcome')}</h1>
            <p>{t('welcome.text')}</p>
          </>
        )}
      </div>
      <div className="welcome-doors">
        {message && (
          <p className="banner" role="alert">
            {message}
          </p>
        )}
        {because === 'unreachable' ? (
          <Button variant="main" onClick={() => void openSession()}>
            {t('tryAgain')}
          </Button>
        ) : (
          <a className="button main" href={loginAt()}>
            {t('login')}
          </a>
        )}
        {facts.sandbox && (
          <section className="people" aria-labelledby="people">
            <h2 id="people">{t('login.as')}</h2>
            <ul>
              {facts.sandbox.people.map(({ name, email }) => (
                <li key={email}>
                  <a href={loginAt(email)}>
                    <Avatar name={name.toLowerCase()} />
                    {name}
                  </a>
                </li>
              ))}
            </ul>
            <p className="hint">{t('login.as.text')}</p>
          </section>
        )}
        <p className="hint">{t('welcome.safe')}</p>
      </div>
    </main>
  );
}

/** The page that the person opened, without the result of an earlier login. */
function targetOf(path: string, query: URLSearchParams): string {
  // Without what the link cannot say, such as a note of 10,000 characters, which would not fit into the login.
  const link = path.startsWith('/pay/') && readPayLink(path.slice('/pay/'.length), query);
  if (link) return writePayLink('', link);
  const kept = new URLSearchParams(query);
  kept.delete('login');
  const said = kept.toString();
  return said === '' ? path : `${path}?${said}`;
}
