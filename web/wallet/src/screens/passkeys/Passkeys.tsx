import { type BackendTypes, FlorinError } from '@florin/client';
import { useState } from 'react';
import { facts } from '../../facts.ts';
import { findAmount, showAmount } from '../../money/amounts.ts';
import { confirm, create } from '../../money/passkeys.ts';
import { usePasskeys } from '../../reads.ts';
import { refresh } from '../../resource.ts';
import { useTitle } from '../../router.tsx';
import { florin } from '../../session.ts';
import { showTime, t } from '../../text/text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Bones, Button, Fault, Field, Screen } from '../../ui/parts.tsx';
import { Refused } from './Confirm.tsx';

type State = BackendTypes['schemas']['Passkeys'];

/** Browsers have no passkeys for IP addresses, which the sandbox also has. */
const isAddress =
  /^[\d.]+$|^\[/.test(location.hostname) || (facts.sandbox !== null && location.hostname === 'localhost');

/** Passkeys, and the amount above which payments need one. */
export default function Passkeys() {
  const title = t('passkeys');
  useTitle(title);
  const { data, error } = usePasskeys();
  return (
    <Screen title={title}>
      <p className="lead">{t('passkeys.text')}</p>
      {isAddress ? (
        <a className="button soft" href={`http://wallet.localhost:${location.port}/settings/passkeys`}>
          {t('passkeys.elsewhere')}
        </a>
      ) : data ? (
        <Own state={data} />
      ) : error === undefined ? (
        <Bones count={2} />
      ) : (
        <Fault error={error} />
      )}
    </Screen>
  );
}

function Own({ state }: { readonly state: State }) {
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<unknown>();
  const { passkeys, removal_due_at: due } = state;

  /** Confirms the deed first if the service asks for it. */
  const act = async (name: string, work: () => Promise<unknown>, deed?: Parameters<typeof confirm>[0]) => {
    setBusy(name);
    setError(undefined);
    try {
      await work().catch(async (refused: unknown) => {
        if (!deed || !(refused instanceof FlorinError) || refused.code !== 'passkey.required') throw refused;
        await confirm(deed);
        return work();
      });
    } catch (caught) {
      setError(caught);
    }
    setBusy(undefined);
    refresh('passkeys');
  };
  const isOldLogin = error instanceof FlorinError && error.code === 'auth.old_login';

  return (
    <>
      {due && (
        <div className="fault" role="alert">
          <div>
            <b>{t('passkeys.removal')}</b>
            <p>{t('passkeys.removal.text', { time: showTime(due) })}</p>
            <Button busy={busy === 'keep'} onClick={() => void act('keep', () => florin.passkeys.keep())}>
              {t('passkeys.keep')}
            </Button>
          </div>
        </div>
      )}
      {passkeys.length > 0 && (
        <ul className="menu">
          {passkeys.map((one) => (
            <li key={one.passkey_id} className="menu-row">
              <Icon name="key" />
              <span className="payment-who">
                <b>{one.name}</b>
                <small>{t(one.backed_up ? 'passkey.synced' : 'passkey.device')}</small>
                <small>
                  {one.last_used_at ? t('session.used', { time: showTime(one.last_used_at) }) : t('key.unused')}
                </small>
              </span>
              <Button
                variant="grave"
                busy={busy === one.passkey_id}
                label={t('passkey.removeThat', { name: one.name })}
                onClick={() =>
                  void act(one.passkey_id, () => florin.passkeys.remove(one.passkey_id), {
                    deed: 'remove',
                    passkey_id: one.passkey_id,
                  })
                }
              >
                {t('passkey.remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {passkeys.length > 0 && <Rule above={state.ask_above} busy={busy === 'rule'} act={act} />}
      {isOldLogin ? (
        <div className="fault" role="alert">
          <div>
            <b>{t('key.login')}</b>
            <p>{t('passkey.login.text')}</p>
            <a className="button soft" href="/session/login?fresh=yes&to=%2Fsettings%2Fpasskeys">
              {t('key.login.again')}
            </a>
          </div>
        </div>
      ) : (
        <Refused error={error} />
      )}
      <Button
        variant={passkeys.length === 0 ? 'main' : 'soft'}
        busy={busy === 'add'}
        onClick={() => void act('add', () => create(nameDevice()), { deed: 'add' })}
      >
        {t('passkey.add')}
      </Button>
      <p className="hint">{t('passkeys.lost')}</p>
    </>
  );
}

interface RuleProps {
  readonly above: string | null;
  readonly busy: boolean;
  readonly act: (name: string, work: () => Promise<unknown>, deed: Parameters<typeof confirm>[0]) => Promise<void>;
}

function Rule({ above, busy, act }: RuleProps) {
  const [typed, setTyped] = useState<string>();
  const text = typed ?? above ?? '';
  const amount = /^0([.,]0*)?$/.test(text) ? '0' : findAmount(text);
  const save = (rule: { ask_above?: string }) =>
    act('rule', () => florin.passkeys.setRule(rule), { deed: 'ask_above', ...rule }).then(() => setTyped(undefined));
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (amount !== undefined) void save({ ask_above: amount });
      }}
    >
      <p>{above === null ? t('passkey.rule.off') : t('passkey.rule.on', { amount: showAmount(above) })}</p>
      <Field
        id="above"
        label={t('passkey.rule')}
        hint={t('passkey.rule.hint')}
        value={text}
        inputMode="decimal"
        autocomplete="off"
        fault={text !== '' && amount === undefined ? t('key.amount.form') : undefined}
        onInput={(event) => setTyped(event.currentTarget.value.replace(',', '.'))}
      />
      <Button type="submit" variant="main" busy={busy} disabled={amount === undefined || amount === above}>
        {t('passkey.rule.save')}
      </Button>
      {above !== null && (
        <Button variant="quiet" onClick={() => void save({})}>
          {t('passkey.rule.stop')}
        </Button>
      )}
    </form>
  );
}

/** A name that the person recognizes in the list. */
function nameDevice(): string {
  const found = /iPhone|iPad|Android|Mac OS X|Windows|Linux/.exec(navigator.userAgent)?.[0];
  return found === 'Mac OS X' ? 'Mac' : (found ?? t('passkey.name'));
}
