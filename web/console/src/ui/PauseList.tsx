import type { Pause } from '../contract/people.ts';
import { say, t } from '../text/text.ts';
import { Linked } from './Linked.tsx';
import { PersonLink, Time } from './show.tsx';
import { type Column, Table } from './Table.tsx';

/** `user:ID` is a person; every other scope is a word of the service. */
const Scope = ({ scope }: { readonly scope: string }) =>
  scope.startsWith('user:') ? <PersonLink id={scope.slice('user:'.length)} /> : <bdi>{scope}</bdi>;

export const pauseColumns = (): readonly Column<Pause>[] => [
  { label: t('column.scope'), show: (one) => <Scope scope={one.scope} /> },
  { label: t('column.stops'), show: (one) => one.stops },
  { label: t('column.cause'), show: (one) => one.cause },
  { label: t('column.reason'), isWide: true, show: (one) => <Linked text={say(one.reason)} /> },
  { label: t('column.by'), show: (one) => <bdi>{one.paused_by}</bdi> },
  { label: t('column.since'), show: (one) => <Time at={one.paused_at} since /> },
];

export const PauseList = ({ pauses }: { readonly pauses: readonly Pause[] }) => (
  <Table label={t('pauses')} rows={pauses} keyOf={(one) => `${one.scope} ${one.cause}`} columns={pauseColumns()} />
);
