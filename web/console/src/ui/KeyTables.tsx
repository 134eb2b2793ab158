import { showAmount } from '../../../wallet/src/money/amounts.ts';
import type { AccountKey, Key, Limits } from '../contract/people.ts';
import { t } from '../text/text.ts';
import { Code, None, PersonLink, State, Tag, Time } from './show.tsx';
import { type Column, Table } from './Table.tsx';

/** `5 a payment, 100 a day`. */
function LimitWords({ limits }: { readonly limits: Limits | null }) {
  if (limits === null) return <None />;
  const parts = (['payment', 'day', 'month'] as const).flatMap((name) => {
    const amount = limits[name];
    return amount === null ? [] : t(`limit.words.${name}`, { amount: showAmount(amount) });
  });
  return <>{parts.length === 0 ? t('unlimited') : parts.join(', ')}</>;
}

const Scopes = ({ scopes }: { readonly scopes: readonly string[] }) => (
  <span className="scopes">
    {scopes.map((one) => (
      <code key={one}>{one}</code>
    ))}
  </span>
);

const KeyState = ({ row }: { readonly row: Key }) =>
  row.revoked_at !== null ? (
    <Tag tone="bad">{t('key.revoked')}</Tag>
  ) : row.is_expired ? (
    <Tag>{t('key.expired')}</Tag>
  ) : row.is_unconfirmed ? (
    <Tag tone="wait">{t('key.unconfirmed')}</Tag>
  ) : (
    <Tag tone="good">{t('key.active')}</Tag>
  );

export const keyColumns = (): readonly Column<Key>[] => [
  { label: t('column.name'), sort: 'name', show: (one) => <bdi>{one.name}</bdi> },
  { label: t('column.state'), show: (one) => <KeyState row={one} /> },
  { label: t('column.scopes'), show: (one) => <Scopes scopes={one.scopes} /> },
  { label: t('column.forPeople'), show: (one) => <LimitWords limits={one.rules?.people ?? null} /> },
  { label: t('column.forTreasury'), show: (one) => <LimitWords limits={one.rules?.treasury ?? null} /> },
  { label: t('column.lastUsed'), sort: 'last_used_at', show: (one) => <Time at={one.last_used_at} since /> },
  { label: t('column.created'), sort: 'created_at', show: (one) => <Time at={one.created_at} /> },
  { label: t('column.key'), show: (one) => <Code text={one.key_id} /> },
];

export const accountKeyColumns = (): readonly Column<AccountKey>[] => [
  { label: t('column.name'), show: (one) => <bdi>{one.name}</bdi> },
  { label: t('column.person'), show: (one) => <PersonLink id={one.user_id} /> },
  { label: t('column.state'), show: (one) => <State state={one.state} /> },
  { label: t('column.scopes'), show: (one) => <Scopes scopes={one.scopes} /> },
  { label: t('limits'), show: (one) => <LimitWords limits={one.limits} /> },
  {
    label: t('column.addresses'),
    show: (one) => (one.addresses === null ? <None /> : <bdi>{one.addresses.join(', ')}</bdi>),
  },
  { label: t('column.lastUsed'), show: (one) => <Time at={one.last_used_at} since /> },
  { label: t('column.expires'), show: (one) => <Time at={one.expires_at} /> },
  { label: t('column.key'), show: (one) => <Code text={one.key_id} /> },
];

/** On the screen of the person. */
export const AccountKeyTable = ({ rows }: { readonly rows: readonly AccountKey[] }) => (
  <Table
    label={t('accountKeys')}
    rows={rows}
    keyOf={(one) => one.key_id}
    columns={accountKeyColumns().filter(({ label }) => label !== t('column.person'))}
  />
);
