import { showAmount } from '../../../../wallet/src/money/amounts.ts';
import type { AccountKey, AuditEntry, Key, LimitChange, Pause, Tier } from '../../contract/people.ts';
import { SELDOM_MS } from '../../reads.ts';
import { t } from '../../text/text.ts';
import { auditColumns } from '../../ui/AuditTable.tsx';
import { Filters } from '../../ui/Filters.tsx';
import { accountKeyColumns, keyColumns } from '../../ui/KeyTables.tsx';
import { List } from '../../ui/List.tsx';
import { pauseColumns } from '../../ui/PauseList.tsx';
import { count, None, Tag, Time, Words } from '../../ui/show.tsx';
import type { Column } from '../../ui/Table.tsx';
import { useListing } from '../../urls.ts';

interface Operator {
  readonly name: string;
  readonly role: string;
  readonly identities: number;
}

interface Restore {
  readonly noted_at: string;
  readonly reason: string;
  readonly unconfirmed: readonly string[];
}

const LISTS: Readonly<Record<string, () => preact.JSX.Element>> = {
  operators: () => (
    <Whole<Operator>
      part="operators"
      keyOf={(one) => one.name}
      columns={[
        { label: t('column.name'), sort: 'name', show: (one) => <bdi>{one.name}</bdi> },
        { label: t('own.role'), sort: 'role', show: (one) => <Tag>{t(`role.${one.role}`)}</Tag> },
        { label: t('column.identities'), isNumber: true, show: (one) => count(one.identities) },
      ]}
    />
  ),
  keys: () => <Whole<Key> part="keys" keyOf={(one) => one.key_id} columns={keyColumns()} />,
  'account-keys': () => (
    <Whole<AccountKey>
      part="account-keys"
      filters={['user']}
      keyOf={(one) => one.key_id}
      columns={accountKeyColumns()}
    />
  ),
  limits: () => <Whole<Tier> part="limits" keyOf={(one) => one.tier} columns={tierColumns()} />,
  'limit-changes': () => (
    <Whole<LimitChange>
      part="limit-changes"
      keyOf={(one, nth) => `${one.changed_at} ${nth}`}
      columns={[
        { label: t('column.when'), show: (one) => <Time at={one.changed_at} /> },
        { label: t('column.by'), show: (one) => <bdi>{one.changed_by}</bdi> },
        { label: t('column.what'), show: (one) => <Words text={one.what} /> },
        { label: t('column.before'), show: (one) => <Words text={one.before} /> },
        { label: t('column.afterChange'), show: (one) => <Words text={one.after} /> },
        { label: t('column.reason'), show: (one) => (one.reason === null ? <None /> : <Words text={one.reason} />) },
      ]}
    />
  ),
  pauses: () => <Whole<Pause> part="pauses" keyOf={(one) => `${one.scope} ${one.cause}`} columns={pauseColumns()} />,
  restores: () => (
    <Whole<Restore>
      part="restores"
      keyOf={(one) => one.noted_at}
      columns={[
        { label: t('column.when'), show: (one) => <Time at={one.noted_at} /> },
        { label: t('column.reason'), show: (one) => <Words text={one.reason} /> },
        {
          label: t('column.unconfirmed'),
          show: (one) => (one.unconfirmed.length === 0 ? <None /> : <Words text={one.unconfirmed.join(', ')} />),
        },
      ]}
    />
  ),
  audit: () => <Audit />,
};

export default function Lists({ part }: { readonly part: string }) {
  return <>{LISTS[part]!()}</>;
}

interface WholeProps<Row> {
  readonly part: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row, nth: number) => string;
  readonly filters?: readonly string[];
}

function Whole<Row>({ part, columns, keyOf, filters = [] }: WholeProps<Row>) {
  const listing = useListing(filters);
  return (
    <>
      {filters.includes('user') && (
        <Filters
          listing={listing}
          filters={[{ name: 'user', label: t('column.person'), placeholder: t('filter.person') }]}
        />
      )}
      <List<Row, { rows: Row[] }>
        label={t(`settings.${part}`)}
        path={`/api/settings/${part}`}
        listing={listing}
        everyMs={SELDOM_MS}
        rowsOf={({ rows }) => rows}
        keyOf={keyOf}
        empty={t('settings.none')}
        columns={columns}
      />
    </>
  );
}

const amount = (value: string | null): string => (value === null ? t('unlimited') : showAmount(value));

const tierColumns = (): readonly Column<Tier>[] => [
  { label: t('column.tier'), sort: 'tier', show: (one) => <b>{one.tier}</b> },
  { label: t('limit.payment'), isNumber: true, show: (one) => amount(one.payment) },
  { label: t('limit.day'), isNumber: true, show: (one) => amount(one.day) },
  { label: t('limit.month'), isNumber: true, show: (one) => amount(one.month) },
  { label: t('limit.count'), isNumber: true, show: (one) => (one.count === null ? t('unlimited') : count(one.count)) },
  {
    label: t('column.kyc'),
    show: (one) => (one.identity_check.length === 0 ? <None /> : one.identity_check.join(', ')),
  },
];

function Audit() {
  const listing = useListing(['user', 'by', 'action', 'since']);
  return (
    <>
      <Filters
        listing={listing}
        filters={[
          { name: 'user', label: t('column.person'), placeholder: t('filter.person') },
          { name: 'by', label: t('column.by') },
          { name: 'action', label: t('column.action') },
          { name: 'since', label: t('filter.since'), type: 'date' },
        ]}
      />
      <List<AuditEntry, { entries: AuditEntry[] }>
        label={t('auditLog')}
        path="/api/audit"
        listing={listing}
        everyMs={SELDOM_MS}
        rowsOf={({ entries }) => entries}
        keyOf={(one) => one.audit_id}
        empty={t('audit.empty')}
        columns={auditColumns()}
      />
    </>
  );
}
