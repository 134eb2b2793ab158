import type { PayoutRow } from '../../contract/flows.ts';
import { t } from '../../text/text.ts';
import { count, None, State, shorten, Time, Usdc } from '../../ui/show.tsx';
import type { Column } from '../../ui/Table.tsx';

export const payoutColumns = (): readonly Column<PayoutRow>[] => [
  { label: t('column.payout'), show: (one) => <code>{shorten(one.payout_id)}</code> },
  { label: t('column.when'), show: (one) => <Time at={one.created_at} /> },
  { label: t('column.state'), show: (one) => <State state={one.state} /> },
  { label: t('column.payer'), show: (one) => <bdi>{one.payer ?? t('service')}</bdi> },
  { label: t('column.rows'), isNumber: true, show: (one) => count(one.rows) },
  { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.total} /> },
  { label: t('column.asked'), show: (one) => <bdi>{one.key}</bdi> },
  {
    label: t('column.approved'),
    show: (one) => (one.approved_by.length === 0 ? <None /> : <bdi>{one.approved_by.join(', ')}</bdi>),
  },
];
