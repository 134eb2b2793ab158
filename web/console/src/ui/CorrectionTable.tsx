import type { Approvals } from '../contract/service.ts';
import { t } from '../text/text.ts';
import { Code, None, Usdc, Words } from './show.tsx';
import { Table } from './Table.tsx';

export const CorrectionTable = ({ rows }: { readonly rows: Approvals['corrections'] }) => (
  <Table
    label={t('approvals.corrections')}
    rows={rows}
    keyOf={(one) => one.correction_id}
    columns={[
      { label: t('column.correction'), show: (one) => <Code text={one.correction_id} /> },
      { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
      { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
      {
        label: t('column.wallet'),
        show: (one) =>
          one.wallet_id === null ? <None /> : <Code text={one.wallet_id} to={`/wallets/${one.wallet_id}`} />,
      },
      { label: t('column.reason'), isWide: true, show: (one) => <Words text={one.reason} /> },
      { label: t('column.asked'), show: (one) => <bdi>{one.proposed_by}</bdi> },
    ]}
  />
);
