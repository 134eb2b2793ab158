import { useEffect, useState } from 'react';
import { facts } from '../facts.ts';
import { refreshHistory } from '../history.ts';
import { refresh } from '../resource.ts';
import { go, goBack, useTitle } from '../router.tsx';
import { florin, logOut, rename } from '../session.ts';
import { t } from '../text/text.ts';
import { Icon } from '../ui/Icon.tsx';
import { Button, Fault, Field } from '../ui/parts.tsx';
import { Brand } from '../ui/Shell.tsx';

type Availability = 'empty' | 'short' | 'form' | 'asking' | 'free' | 'taken' | 'own' | 'unknown';

const PATIENCE_MS = 300;

/** Whether a name is available, checked a moment after the last key. */
function useAvailability(name: string): Availability {
  const [found, setFound] = useState<{ readonly name: string; readonly is: Availability }>();
  const isForm = /^[a-z0-9_]{3,30}$/.test(name);
  useEffect(() => {
    if (!isForm) return;
    const over = new AbortController();
    const timer = setTimeout(() => {
      florin
        .checkUsername(name, { signal: over.signal })
        .then(({ state }) => setFound({ name, is: state }))
        .catch((error: { code?: string }) => {
          if (!over.signal.aborted) setFound({ name, is: error.code === 'username.invalid' ? 'form' : 'unknown' });
        });
    }, PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [name, isForm]);
  if (name === '') return 'empty';
  if (name.length < 3) return 'short';
  if (!isForm) return 'form';
  return found?.name === name ? found.is : 'asking';
}

export default function ChooseName({ current }: { readonly current: string | null }) {
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const is = useAvailability(name);
  const title = t(current === null ? 'name.first' : 'name.change');
  useTitle(title);

  const choose = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { username } = await florin.setUsername(name);
      rename(username);
      refresh('');
      void refreshHistory();
      // A new person continues to the page that they opened.
      if (current !== null) go('/', { replace: true });
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };

  return (
    <form
      className="screen narrow"
      onSubmit={(event) => {
        event.preventDefault();
        if (is === 'free') void choose();
      }}
    >
      {current === null && <Brand />}
      <header className="screen-head">
        {current !== null && (
          <button type="button" className="icon-button" onClick={goBack} aria-label={t('back')}>
            <Icon name="back" />
          </button>
        )}
        <h1 tabIndex={-1}>{title}</h1>
      </header>
      <p className="lead">{t(current === null ? 'name.text' : 'name.change.text', { name: facts.name })}</p>
      <div className="name-field">
        <Field
          id="username"
          label={t('name')}
          value={name}
          onInput={(event) => setName(event.currentTarget.value.trim().toLowerCase().replace(/^@/, ''))}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          maxLength={30}
          placeholder="your_name"
          fault={is === 'taken' ? t('name.taken') : is === 'form' ? t('name.form') : undefined}
          hint={
            <span aria-live="polite" className={is === 'free' ? 'good' : undefined}>
              {is === 'free' && <Icon name="check" size={18} />}
              {t(`name.${is}.hint`)}
            </span>
          }
        />
      </div>
      {error !== undefined && <Fault error={error} />}
      <div className="foot">
        <Button variant="main" type="submit" disabled={is !== 'free'} busy={busy}>
          {t('name.take')}
        </Button>
        {current === null && (
          <Button variant="quiet" onClick={() => void logOut()}>
            {t('name.leave')}
          </Button>
        )}
      </div>
    </form>
  );
}
