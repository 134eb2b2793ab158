import { useState } from 'react';
import { saveFile } from '../device.ts';
import { useOverview } from '../reads.ts';
import { useTitle } from '../router.tsx';
import { florin } from '../session.ts';
import { t } from '../text/text.ts';
import { Button, Fault, Field, Screen, Usdc } from '../ui/parts.tsx';

/** Closing is final, so a person writes their own name first. */
export default function CloseAccount({ own }: { readonly own: string }) {
  const title = t('close.account');
  useTitle(title);
  const { data } = useOverview();
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState<'export' | 'close'>();
  const [error, setError] = useState<unknown>();
  const isSure = typed.trim().replace(/^@/, '').toLowerCase() === own;
  const left = data?.balances.filter(({ available }) => Number.parseFloat(available) !== 0) ?? [];

  const act = async (what: 'export' | 'close') => {
    setBusy(what);
    setError(undefined);
    try {
      if (what === 'close') {
        await florin.closeAccount();
        location.assign('/?login=closed');
        return;
      }
      saveFile(`${own}.json`, 'application/json', JSON.stringify(await florin.exportAccount(), null, 2));
    } catch (caught) {
      setError(caught);
    }
    setBusy(undefined);
  };

  return (
    <Screen title={title}>
      <p>{t('close.text')}</p>
      <ul className="points">
        {['close.money', 'close.name', 'close.login', 'close.stays'].map((key) => (
          <li key={key}>{t(key, { name: own })}</li>
        ))}
      </ul>
      {left.map(({ blockchain, available }) => (
        <p key={blockchain} className="banner">
          <span>
            {t('close.left')} <Usdc amount={available} />
          </span>
        </p>
      ))}
      <Button icon="download" busy={busy === 'export'} onClick={() => void act('export')}>
        {t('close.export')}
      </Button>
      <form
        className="narrow filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSure && busy === undefined) void act('close');
        }}
      >
        <Field
          id="sure"
          label={t('close.sure', { name: own })}
          value={typed}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        {error !== undefined && <Fault error={error} />}
        <Button variant="grave" type="submit" disabled={!isSure} busy={busy === 'close'}>
          {t('close.now')}
        </Button>
      </form>
    </Screen>
  );
}
