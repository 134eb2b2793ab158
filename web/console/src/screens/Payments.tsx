import type { Payment } from '../contract/payments.ts';
import { blockchains, kinds, states } from '../options.ts';
import { t } from '../text/text.ts';
import { Filters } from '../ui/Filters.tsx';
import { List } from '../ui/List.tsx';
import { Page } from '../ui/page.tsx';
import { useListing } from '../urls.ts';
import { paymentColumns, paymentPath } from './parts/paymentColumns.tsx';

const FILTERS = ['state', 'kind', 'blockchain', 'user', 'address', 'amount', 'day', 'since', 'until', 'reference'];

export default function Payments() {
  const listing = useListing(FILTERS);
  return (
    <Page title={t('nav.payments')}>
      <Filters
        listing={listing}
        filters={[
          { name: 'state', label: t('column.state'), options: { open: t('state.open'), ...states() } },
          { name: 'kind', label: t('column.kind'), options: kinds() },
          { name: 'blockchain', label: t('column.network'), options: blockchains() },
          { name: 'user', label: t('column.person'), placeholder: t('filter.person') },
          { name: 'address', label: t('column.address'), placeholder: '0x…' },
          { name: 'amount', label: t('column.amount'), placeholder: '12.50, 10-20' },
          { name: 'day', label: t('column.day'), type: 'date' },
          { name: 'reference', label: t('column.reference') },
        ]}
      />
      <List<Payment, { payments: Payment[] }>
        label={t('nav.payments')}
        path="/api/payments"
        listing={listing}
        columns={paymentColumns()}
        rowsOf={({ payments }) => payments}
        keyOf={(one) => one.transaction_id}
        to={paymentPath}
        empty={t('payments.none')}
      />
    </Page>
  );
}
