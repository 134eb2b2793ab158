import type { Payment } from '../../contract/payments.ts';
import { t } from '../../text/text.ts';
import { KindName, PartyName, State, Time, Usdc } from '../../ui/show.tsx';
import type { Column } from '../../ui/Table.tsx';

/** Wherever payments are listed. */
export const paymentColumns = (): readonly Column<Payment>[] => [
  { label: t('column.when'), show: (one) => <Time at={one.created_at} /> },
  { label: t('column.state'), show: (one) => <State state={one.state} /> },
  { label: t('column.kind'), show: (one) => <KindName payment={one} /> },
  { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
  { label: t('column.from'), show: (one) => <PartyName party={one.from} /> },
  { label: t('column.to'), show: (one) => <PartyName party={one.to} /> },
  { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
];

export const paymentPath = (one: Payment): string => `/payments/${one.transaction_id}`;
