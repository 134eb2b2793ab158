import { FlorinError, newKey } from '@florin/client';
import { useRef, useState } from 'react';
import { findNote } from '../money/notes.ts';
import { refresh } from '../resource.ts';
import { go, Link, useTitle } from '../router.tsx';
import { florin } from '../session.ts';
import { t } from '../text/text.ts';
import { Keypad } from '../ui/Keypad.tsx';
import { NoteField } from '../ui/NoteField.tsx';
import { Button, Fault, Field, Screen } from '../ui/parts.tsx';
import { RecentPeople } from '../ui/RecentPeople.tsx';
import { useAmount } from '../ui/useAmount.tsx';

/** Asks a person for money by name, or anyone who gets the link. */
export default function Ask() {
  const title = t('ask');
  useTitle(title);
  const entered = useAmount('');
  const { amount } = entered;
  const [name, setName] = useState('');
  const [note, setNote] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  // One key for this request, however often the button is pressed.
  const key = useRef(newKey());
  const payer = name.trim().replace(/^@/, '').toLowerCase();
  const isName = payer === '' || /^[a-z0-9_]{3,30}$/.test(payer);

  const ask = async () => {
    if (amount === undefined || !isName || busy) return;
    const noted = findNote(note);
    setBusy(true);
    setError(undefined);
    try {
      const asked = await florin.requests.ask(
        {
          amount,
          ...(payer !== '' && { payer_username: payer }),
          ...(noted !== undefined && { note: noted }),
        },
        { idempotencyKey: key.current },
      );
      refresh('requests');
      go(`/requests/${asked.request_id}`, { replace: true });
    } catch (caught) {
      // Without an answer, the request may exist; the same key then finds it.
      if (!(caught instanceof FlorinError && caught.outcomeUnknown)) key.current = newKey();
      setError(caught);
      setBusy(false);
    }
  };

  return (
    <Screen
      title={title}
      actions={
        <Link className="button soft small" to="/split">
          {t('split')}
        </Link>
      }
    >
      <div className="amount">{entered.shown}</div>
      <Field
        id="payer"
        label={t('ask.whom')}
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
        placeholder={t('ask.anyone')}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        fault={isName ? undefined : t('name.form')}
        hint={t(payer === '' ? 'ask.link.hint' : 'ask.name.hint')}
      />
      <RecentPeople chosen={payer === '' ? [] : [payer]} onChoose={(one) => setName(one === payer ? '' : one)} />
      <NoteField note={note} onChange={setNote} />
      {error !== undefined && <Fault error={error} />}
      <Keypad onType={entered.onType} onPaste={entered.onPaste} onEnter={() => void ask()} />
      <div className="foot">
        <Button variant="main" disabled={amount === undefined || !isName} busy={busy} onClick={() => void ask()}>
          {t(payer === '' ? 'ask.makeLink' : 'ask.send')}
        </Button>
      </div>
    </Screen>
  );
}
