/** How values look everywhere: amounts, times, ids, states, people. Texts of strangers are isolated (`bdi`). */
import type { ComponentChildren } from 'preact';
import { copy } from '../../../wallet/src/device.ts';
import { showAmount } from '../../../wallet/src/money/amounts.ts';
import { Link } from '../../../wallet/src/router.tsx';
import { Icon } from '../../../wallet/src/ui/Icon.tsx';
import type { Party, Payment } from '../contract/payments.ts';
import { facts } from '../facts.ts';
import { findText, language, showSpan, t } from '../text/text.ts';

export const None = () => <span className="none">{t('none')}</span>;

/** A line may break before the unit, but never within the number. */
export const Usdc = ({ amount }: { readonly amount: string }) => (
  <>
    <span className="money">{showAmount(amount)}</span> USDC
  </>
);

export const count = (number: number): string => new Intl.NumberFormat(language.get()).format(number);

/** `2 minutes ago`, with the exact time. */
export function Time({ at, since }: { readonly at: string | null; readonly since?: boolean }) {
  if (at === null) return <None />;
  const exact = showExact(at);
  return (
    <time dateTime={at} title={exact}>
      {since ? showAge(at) : formatTime(at, 'short')}
    </time>
  );
}

const showAge = (at: string): string => t('age', { span: showSpan(Math.max(0, Date.now() - Date.parse(at))) });

const formats = new Map<string, Intl.DateTimeFormat>();
/** With seconds: operators compare with logs. Browsers take long to create a format, and lists need hundreds. */
function formatTime(at: string, dateStyle: 'short' | 'medium'): string {
  const key = `${language.get()} ${dateStyle}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(language.get(), { dateStyle, timeStyle: 'medium' });
  formats.set(key, format);
  return format.format(new Date(at));
}

export const showExact = (at: string): string => formatTime(at, 'medium');

export const shorten = (text: string): string => (text.length > 20 ? `${text.slice(0, 8)}…${text.slice(-4)}` : text);

/** An id, hash or address: short, complete for screen readers and the clipboard. */
export function Code({ text, to, whole }: { readonly text: string; readonly to?: string; readonly whole?: boolean }) {
  const shown = (
    <code title={text} dir="ltr">
      {whole ? text : shorten(text)}
    </code>
  );
  return (
    <span className="code">
      {to === undefined ? shown : <Link to={to}>{shown}</Link>}
      <button
        type="button"
        className="icon-button tiny"
        aria-label={t('copy', { text: shorten(text) })}
        onClick={() => void copy(text)}
      >
        <Icon name="copy" size={15} />
      </button>
    </span>
  );
}

/** The hash of a transaction, with a link to the explorer of its network. */
export function Hash({ hash, blockchain }: { readonly hash: string | null; readonly blockchain: string }) {
  if (hash === null) return <None />;
  const explorer = facts.explorers[blockchain];
  return (
    <>
      <Code text={hash} />
      {explorer !== undefined && (
        <a className="explorer" href={`${explorer}${hash}`} target="_blank" rel="noreferrer noopener">
          {t('explorer')}
        </a>
      )}
    </>
  );
}

type Tone = 'good' | 'wait' | 'bad' | 'plain';

const TONES: Readonly<Record<string, Tone>> = Object.fromEntries(
  (
    [
      ['good', 'CONFIRMED COMPLETE credited delivered on active approved paid complete done'],
      [
        'wait',
        'INITIATED CLEARED QUEUED SENT pending held waiting started needs_input checked approving running stopping',
      ],
      ['bad', 'STUCK FAILED DENIED REFUSED gone lost failed rejected revoked dead'],
    ] as const
  ).flatMap(([tone, states]) => states.split(' ').map((state) => [state, tone])),
);

export const Tag = ({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) => (
  <span className={`tag ${tone}`}>{children}</span>
);

/** The state of anything; a state that this console has no word for is shown as the service calls it. */
export const State = ({ state }: { readonly state: string }) => (
  <Tag tone={TONES[state] ?? 'plain'}>{findText(`state.${state}`) ?? state}</Tag>
);

/** A person, by name and with a link. */
export function PersonLink({ id, name }: { readonly id: string | null; readonly name?: string | null | undefined }) {
  if (id === null) return <None />;
  return (
    <Link className="whole" to={`/people/${encodeURIComponent(id)}`} title={name ?? id}>
      {name ? <bdi>@{name}</bdi> : <code>{shorten(id)}</code>}
    </Link>
  );
}

export const Words = ({ text }: { readonly text: string }) => (
  <bdi className="words" dir="auto">
    {text}
  </bdi>
);

/** One side of a payment. `id`: the person, if the reader knows. */
export function PartyName({ party, id }: { readonly party: Party; readonly id?: string | null }) {
  if ('username' in party) {
    if (party.service) return <>{t('service')}</>;
    if (party.username === null) return id ? <PersonLink id={id} /> : t('nameless');
    return <PersonLink id={id ?? party.username} name={party.username} />;
  }
  if ('wallet_id' in party) return <Code text={party.wallet_id} to={`/wallets/${party.wallet_id}`} />;
  return party.address === null ? t('unknownAddress') : <Code text={party.address} />;
}

export const KindName = ({ payment }: { readonly payment: Payment }) => (
  <>{payment.refund_of ? t('kind.refund') : t(`kind.${payment.kind}`)}</>
);
