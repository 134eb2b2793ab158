import type { AuditEntry } from '../contract/people.ts';
import { t } from '../text/text.ts';
import { None, PersonLink, Time, Words } from './show.tsx';
import { type Column, Table } from './Table.tsx';

export const auditColumns = (): readonly Column<AuditEntry>[] => [
  { label: t('column.when'), show: (one) => <Time at={one.at} /> },
  { label: t('column.by'), show: (one) => <Actor actor={one.actor} /> },
  { label: t('column.action'), show: (one) => <code>{one.action}</code> },
  { label: t('column.person'), show: (one) => <PersonLink id={one.user_id} /> },
  { label: t('column.details'), isWide: true, show: (one) => <Details details={one.details} /> },
];

export const AuditTable = ({ rows }: { readonly rows: readonly AuditEntry[] }) => (
  <Table label={t('auditLog')} rows={rows} keyOf={(one) => one.audit_id} columns={auditColumns()} />
);

/** `user:ID` is a person; everybody else is named. */
const Actor = ({ actor }: { readonly actor: string }) =>
  actor.startsWith('user:') ? <PersonLink id={actor.slice('user:'.length)} /> : <bdi>{actor}</bdi>;

const show = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Whatever the entry says, one line each. */
function Details({ details }: { readonly details: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(details).filter(([, value]) => value !== null);
  if (entries.length === 0) return <None />;
  return (
    <ul className="details">
      {entries.map(([name, value]) => (
        <li key={name}>
          <span>{name}</span> <Words text={show(value)} />
        </li>
      ))}
    </ul>
  );
}
