import { FlorinError, newKey } from '@florin/client';
import { useRef, useState } from 'react';
import { findAmount } from '../money/amounts.ts';
import { findNote } from '../money/notes.ts';
import { refresh } from '../resource.ts';
import { go, useTitle } from '../router.tsx';
import { florin } from '../session.ts';
import { t } from '../text/text.ts';
import { Keypad, Typed } from '../ui/Keypad.tsx';
import { NoteField } from '../ui/NoteField.tsx';
import { Button, Fault, Field, Screen } from '../ui/parts.tsx';

/** Asks a person for money by name, or anyone who gets the link. */
export default function Ask() {
  const title = t('ask');
  useTitle(title);
  const [typed, setTyped] = useState('');
  const [name, setName] = useState('');
  const [note, setNote] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  // One key for this request, however often the button is pressed.
  const key = useRef(newKey());
  const amount = findAmount(typed);
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
    <Screen title={title}>
      <div className="amount">
        <Typed typed={typed} />
      </div>
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
      <NoteField note={note} onChange={setNote} />
      {error !== undefined && <Fault error={error} />}
      <Keypad onType={setTyped} onEnter={() => void ask()} />
      <div className="foot">
        <Button variant="main" disabled={amount === undefined || !isName} busy={busy} onClick={() => void ask()}>
          {t(payer === '' ? 'ask.makeLink' : 'ask.send')}
        </Button>
      </div>
    </Screen>
  );
}
