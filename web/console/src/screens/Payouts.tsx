import type { PayoutRow } from '../contract/flows.ts';
import { blockchains } from '../options.ts';
import { t } from '../text/text.ts';
import { Filters } from '../ui/Filters.tsx';
import { List } from '../ui/List.tsx';
import { Page } from '../ui/page.tsx';
import { useListing } from '../urls.ts';
import { payoutColumns } from './parts/payoutColumns.tsx';

const STATES = ['checked', 'approving', 'running', 'waiting', 'stopping', 'complete', 'cancelled'];

export default function Payouts() {
  const listing = useListing(['user', 'amount', 'day', 'since', 'until', 'state', 'blockchain', 'reference']);
  return (
    <Page title={t('nav.payouts')}>
      <Filters
        listing={listing}
        filters={[
          {
            name: 'state',
            label: t('column.state'),
            options: Object.fromEntries(STATES.map((one) => [one, t(`state.${one}`)])),
          },
          { name: 'blockchain', label: t('column.network'), options: blockchains() },
          { name: 'user', label: t('column.person'), placeholder: t('filter.person') },
          { name: 'amount', label: t('column.amount'), placeholder: '12.50, 10-20' },
          { name: 'day', label: t('column.day'), type: 'date' },
          { name: 'reference', label: t('column.reference') },
        ]}
      />
      <List<PayoutRow, { payouts: PayoutRow[] }>
        label={t('nav.payouts')}
        path="/api/payouts"
        listing={listing}
        rowsOf={({ payouts }) => payouts}
        keyOf={(one) => one.payout_id}
        to={(one) => `/payouts/${one.payout_id}`}
        empty={t('payouts.none')}
        columns={payoutColumns()}
      />
    </Page>
  );
}
