import { FlorinError, newKey } from '@florin/client';
import { useRef, useState } from 'react';
import { describeFault } from '../faults.ts';
import { showAmount } from '../money/amounts.ts';
import { findNote } from '../money/notes.ts';
import { share } from '../money/shares.ts';
import { refresh } from '../resource.ts';
import { Link, useTitle } from '../router.tsx';
import { florin, session } from '../session.ts';
import { useStore } from '../store.ts';
import { t } from '../text/text.ts';
import { Icon } from '../ui/Icon.tsx';
import { Keypad } from '../ui/Keypad.tsx';
import { NoteField } from '../ui/NoteField.tsx';
import { Avatar, Button, Field, Screen } from '../ui/parts.tsx';
import { RecentPeople } from '../ui/RecentPeople.tsx';
import { useAmount } from '../ui/useAmount.tsx';

/** One request each; the service allows twenty in a minute. */
const MOST = 19;

type Outcome = { readonly id: string } | { readonly error: unknown } | 'busy';

/** Divides a bill: asks several people for their part, each with a request of their own. */
export default function Split() {
  const title = t('split');
  useTitle(title);
  const entered = useAmount('');
  const [names, setNames] = useState<readonly string[]>([]);
  const [isSharing, setSharing] = useState(true);
  const [note, setNote] = useState('');
  const [outcomes, setOutcomes] = useState<Readonly<Record<string, Outcome>>>();
  // The same request has the same key, however often it is sent: without an answer it may exist.
  const keys = useRef(new Map<string, string>());
  // Takes effect immediately, unlike state: two clicks before the next render ask once.
  const isAsking = useRef(false);
  const shares = entered.amount === undefined ? undefined : share(entered.amount, names.length, isSharing);

  const ask = async (name: string, amount: string): Promise<Outcome> => {
    const noted = findNote(note);
    const request = { payer_username: name, amount, ...(noted !== undefined && { note: noted }) };
    const same = JSON.stringify(request);
    const key = keys.current.get(same) ?? newKey();
    keys.current.set(same, key);
    try {
      return { id: (await florin.requests.ask(request, { idempotencyKey: key })).request_id };
    } catch (error) {
      if (!(error instanceof FlorinError && error.outcomeUnknown)) keys.current.delete(same);
      return { error };
    }
  };
  const askAll = async () => {
    if (!shares || isAsking.current) return;
    isAsking.current = true;
    const open = names.flatMap((name, nth) => {
      const known = outcomes?.[name];
      return typeof known === 'object' && 'id' in known ? [] : [[name, shares.others[nth]!] as const];
    });
    setOutcomes((now) => ({ ...now, ...Object.fromEntries(open.map(([name]) => [name, 'busy' as const])) }));
    for (const [name, amount] of open) {
      const outcome = await ask(name, amount);
      setOutcomes((now) => ({ ...now, [name]: outcome }));
    }
    isAsking.current = false;
    refresh('requests');
  };

  if (outcomes && shares) {
    const isBusy = Object.values(outcomes).includes('busy');
    const hasFailed = Object.values(outcomes).some((one) => one !== 'busy' && 'error' in one);
    return (
      <Screen title={title}>
        <ul className="people-list asked-people" role="status">
          {names.map((name, nth) => (
            <Asked key={name} name={name} amount={shares.others[nth]!} outcome={outcomes[name] ?? 'busy'} />
          ))}
        </ul>
        {hasFailed && (
          <Button busy={isBusy} onClick={() => void askAll()}>
            {t('split.again')}
          </Button>
        )}
        <Link className="button main" to="/requests">
          {t('requests')}
        </Link>
      </Screen>
    );
  }
  return (
    <Screen title={title}>
      <div className="amount">
        {entered.shown}
        <p className="hint" role="status">
          {shares
            ? t(shares.own === undefined ? 'split.each' : 'split.eachAndOwn', {
                amount: showAmount(shares.others[0]!),
                own: showAmount(shares.own ?? '0'),
              })
            : t(names.length > 0 && entered.amount !== undefined ? 'split.tooLittle' : 'split.text')}
        </p>
      </div>
      <People names={names} onChange={setNames} />
      <label className="check">
        <input type="checkbox" checked={isSharing} onChange={(event) => setSharing(event.currentTarget.checked)} />
        {t('split.me')}
      </label>
      <NoteField note={note} onChange={setNote} />
      <Keypad onType={entered.onType} onPaste={entered.onPaste} onEnter={() => void askAll()} />
      <div className="foot">
        <Button variant="main" disabled={!shares} onClick={() => void askAll()}>
          {t(names.length === 1 ? 'split.askOne' : 'split.ask', { count: String(names.length) })}
        </Button>
      </div>
    </Screen>
  );
}

function People({
  names,
  onChange,
}: {
  readonly names: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}) {
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState<string>();
  const state = useStore(session);
  const own = state.is === 'in' ? state.user.username : null;
  const toggle = (name: string) => {
    setFault(undefined);
    if (names.includes(name)) return onChange(names.filter((one) => one !== name));
    if (names.length >= MOST) return setFault(t('split.many', { count: String(MOST) }));
    onChange([...names, name]);
  };
  const add = () => {
    const name = typed.trim().replace(/^@/, '').toLowerCase();
    if (name === own) return setFault(t('send.self'));
    if (!/^[a-z0-9_]{3,30}$/.test(name)) return setFault(t('name.form'));
    if (!names.includes(name)) toggle(name);
    setTyped('');
  };
  return (
    <form
      className="split-people"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <div className="beside">
        <Field
          id="person"
          label={t('split.whom')}
          value={typed}
          placeholder="@name"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          fault={fault}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setFault(undefined);
          }}
        />
        <Button type="submit" disabled={typed.trim() === ''}>
          {t('split.add')}
        </Button>
      </div>
      {names.length > 0 && (
        <ul className="chosen">
          {names.map((name) => (
            <li key={name}>
              <button type="button" onClick={() => toggle(name)} aria-label={t('split.remove', { name })}>
                @{name}
                <Icon name="cross" size={18} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <RecentPeople chosen={names} onChoose={toggle} />
    </form>
  );
}

function Asked({
  name,
  amount,
  outcome,
}: {
  readonly name: string;
  readonly amount: string;
  readonly outcome: Outcome;
}) {
  const isFailed = outcome !== 'busy' && 'error' in outcome;
  return (
    <li>
      <Avatar name={name} />
      <span className="payment-who">
        <b>@{name}</b>
        <small className={isFailed ? 'wrong' : undefined}>
          {outcome === 'busy' ? t('split.asking') : isFailed ? describeFault(outcome.error).title : t('split.asked')}
        </small>
      </span>
      <span className="payment-amount">{showAmount(amount)}</span>
      {outcome === 'busy' ? (
        <i className="spinner" aria-hidden="true" />
      ) : (
        <Icon name={isFailed ? 'warn' : 'check'} size={20} />
      )}
    </li>
  );
}
