import type { Deposit } from '../contract/payments.ts';
import { blockchains } from '../options.ts';
import { t } from '../text/text.ts';
import { Filters } from '../ui/Filters.tsx';
import { List } from '../ui/List.tsx';
import { Page } from '../ui/page.tsx';
import { Code, Hash, None, PersonLink, State, Time, Usdc } from '../ui/show.tsx';
import { useListing } from '../urls.ts';

const STATES = ['credited', 'pending', 'held', 'gone', 'lost'];

/** Coins that came in, credited or not, and why not. */
export default function Deposits() {
  const listing = useListing(['user', 'address', 'amount', 'day', 'since', 'until', 'state', 'blockchain']);
  return (
    <Page title={t('nav.deposits')}>
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
          { name: 'address', label: t('column.address'), placeholder: '0x…' },
          { name: 'amount', label: t('column.amount'), placeholder: '12.50, 10-20' },
          { name: 'day', label: t('column.day'), type: 'date' },
        ]}
      />
      <List<Deposit, { deposits: Deposit[] }>
        label={t('nav.deposits')}
        path="/api/deposits"
        listing={listing}
        rowsOf={({ deposits }) => deposits}
        keyOf={(one, nth) => `${one.tx_hash} ${nth}`}
        to={(one) => (one.transaction_id === null ? undefined : `/payments/${one.transaction_id}`)}
        empty={t('deposits.none')}
        columns={[
          { label: t('column.state'), show: (one) => <State state={one.state} /> },
          { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
          { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
          { label: t('column.person'), show: (one) => <PersonLink id={one.user_id} name={one.username} /> },
          { label: t('column.from'), show: (one) => <Code text={one.from_address} /> },
          { label: t('column.to'), show: (one) => <Code text={one.to_address} to={`/wallets/${one.wallet_id}`} /> },
          { label: t('column.hash'), show: (one) => <Hash hash={one.tx_hash} blockchain={one.blockchain} /> },
          { label: t('column.block'), isNumber: true, show: (one) => one.block_number ?? <None /> },
          { label: t('column.credited'), show: (one) => <Time at={one.credited_at} /> },
        ]}
      />
    </Page>
  );
}
