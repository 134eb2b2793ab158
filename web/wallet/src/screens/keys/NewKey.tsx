import { type BackendTypes, FlorinError } from '@florin/client';
import { useState } from 'react';
import { copy } from '../../device.ts';
import { findAmount } from '../../money/amounts.ts';
import { refresh } from '../../resource.ts';
import { Link, useTitle } from '../../router.tsx';
import { florin } from '../../session.ts';
import { t } from '../../text/text.ts';
import { Button, Fault, Field, Screen } from '../../ui/parts.tsx';

type Scope = BackendTypes['schemas']['AccountKey']['scopes'][number];
const SCOPES: readonly Scope[] = ['read', 'request', 'pay', 'payouts', 'webhooks'];
const DAYS = ['30', '365', ''] as const;

/** Creates a key and shows it once. */
export default function NewKey() {
  const title = t('keys.new');
  useTitle(title);
  const [made, setMade] = useState<string>();
  return <Screen title={title}>{made === undefined ? <Form onMade={setMade} /> : <Once secret={made} />}</Screen>;
}

function Form({ onMade }: { readonly onMade: (key: string) => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const [payment, setPayment] = useState('');
  const [day, setDay] = useState('');
  const [addresses, setAddresses] = useState('');
  const [days, setDays] = useState<(typeof DAYS)[number]>('365');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const pays = scopes.includes('pay') || scopes.includes('payouts');
  const limits = { payment: findAmount(payment), day: findAmount(day) };
  const isReady =
    name.trim() !== '' && scopes.length > 0 && (!pays || (limits.payment !== undefined && limits.day !== undefined));

  const create = async () => {
    if (!isReady || busy) return;
    setBusy(true);
    setError(undefined);
    const ranges = addresses.split(/[\s,]+/).filter((one) => one !== '');
    try {
      const { key } = await florin.keys.create({
        name: name.trim(),
        scopes: [...scopes],
        ...(pays && { payment_limit: limits.payment!, day_limit: limits.day! }),
        ...(ranges.length > 0 && { addresses: ranges }),
        ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }),
      });
      refresh('keys');
      onMade(key);
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };

  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <Field
        id="name"
        label={t('key.name')}
        value={name}
        maxLength={100}
        placeholder={t('key.name.example')}
        autocomplete="off"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <fieldset className="menu">
        <legend>{t('key.may')}</legend>
        {SCOPES.map((scope) => (
          <label key={scope} className="menu-row" htmlFor={`scope-${scope}`}>
            <input
              type="checkbox"
              id={`scope-${scope}`}
              checked={scopes.includes(scope)}
              onChange={() =>
                setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope])
              }
            />
            <span className="payment-who">
              <b>{t(`key.scope.${scope}`)}</b>
              <small>{t(`key.scope.${scope}.text`)}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {pays && (
        <>
          <Amount id="payment" label={t('key.payment')} value={payment} onType={setPayment} />
          <Amount id="day" label={t('key.day')} value={day} onType={setDay} />
        </>
      )}
      <Field
        id="addresses"
        label={t('key.addresses')}
        value={addresses}
        hint={t('key.addresses.hint')}
        placeholder="203.0.113.7, 2001:db8::/48"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setAddresses(event.currentTarget.value)}
      />
      <div className="menu">
        <label className="menu-row" htmlFor="days">
          <span>{t('key.end')}</span>
          <select id="days" value={days} onChange={(event) => setDays(event.currentTarget.value as typeof days)}>
            {DAYS.map((one) => (
              <option key={one} value={one}>
                {t(`key.end.${one || 'never'}`)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error instanceof FlorinError && error.code === 'auth.old_login' ? (
        <div className="fault" role="alert">
          <div>
            <b>{t('key.login')}</b>
            <p>{t('key.login.text')}</p>
            <a className="button soft" href="/session/login?fresh=yes&to=%2Fsettings%2Fnewkey">
              {t('key.login.again')}
            </a>
          </div>
        </div>
      ) : (
        error !== undefined && <Fault error={error} />
      )}
      <Button type="submit" variant="main" disabled={!isReady} busy={busy}>
        {t('key.create')}
      </Button>
    </form>
  );
}

const Amount = (given: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onType: (text: string) => void;
}) => (
  <Field
    id={given.id}
    label={given.label}
    value={given.value}
    inputMode="decimal"
    autocomplete="off"
    fault={given.value !== '' && findAmount(given.value) === undefined ? t('key.amount.form') : undefined}
    onInput={(event) => given.onType(event.currentTarget.value.replace(',', '.'))}
  />
);

/** The key is in the page's memory only, and gone with the screen. */
function Once({ secret }: { readonly secret: string }) {
  return (
    <div className="stack">
      <p className="lead">{t('key.once')}</p>
      <code className="card secret">{secret}</code>
      <Button variant="main" icon="copy" onClick={() => void copy(secret)}>
        {t('copyAddress')}
      </Button>
      <Link to="/settings/keys" className="button soft">
        {t('key.stored')}
      </Link>
    </div>
  );
}
