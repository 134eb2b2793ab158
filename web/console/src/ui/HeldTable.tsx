import type { Held } from '../contract/service.ts';
import { t } from '../text/text.ts';
import { Code, count, Hash, None, Time, Usdc } from './show.tsx';
import { Table } from './Table.tsx';

/** Transfers whose outcome at the provider nobody knows. */
export const HeldTable = ({ rows }: { readonly rows: readonly Held[] }) => (
  <Table
    label={t('approvals.transfers')}
    rows={rows}
    keyOf={(one) => one.move_id}
    columns={[
      { label: t('column.move'), show: (one) => <Code text={one.move_id} /> },
      { label: t('column.held'), show: (one) => <Time at={one.held_at} since /> },
      { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
      { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
      { label: t('column.provider'), show: (one) => one.provider },
      { label: t('column.purpose'), show: (one) => one.purpose },
      { label: t('column.from'), show: (one) => <Code text={one.from} /> },
      { label: t('column.to'), show: (one) => <Code text={one.to} /> },
      { label: t('column.attempts'), isNumber: true, show: (one) => count(one.attempts) },
      { label: t('column.hash'), show: (one) => <Hash hash={one.named_tx_hash} blockchain={one.blockchain} /> },
      {
        label: t('column.verdict'),
        show: (one) =>
          one.verdict === null ? <None /> : `${one.verdict}${one.approved_by ? `, ${one.approved_by}` : ''}`,
      },
    ]}
  />
);
