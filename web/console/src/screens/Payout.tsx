import type { Payout as Shown } from '../contract/flows.ts';
import { OFTEN_MS } from '../reads.ts';
import { say, t } from '../text/text.ts';
import { Filters } from '../ui/Filters.tsx';
import { List } from '../ui/List.tsx';
import { Fact, Facts, Page } from '../ui/page.tsx';
import { Code, count, Hash, None, State, Time, Usdc, Words } from '../ui/show.tsx';
import { useListing } from '../urls.ts';

type Item = Shown['items'][number];

/** One payout: who pays, what it waits for, and every row with its payment. */
export default function Payout({ id }: { readonly id: string }) {
  const listing = useListing(['state']);
  return (
    <Page title={t('payout')} above={{ to: '/payouts', label: t('nav.payouts') }}>
      <List<Item, Shown>
        label={t('column.rows')}
        path={`/api/payouts/${encodeURIComponent(id)}`}
        listing={listing}
        everyMs={OFTEN_MS}
        rowsOf={({ items }) => items}
        keyOf={(one) => String(one.row)}
        to={(one) => (one.transaction_id === null ? undefined : `/payments/${one.transaction_id}`)}
        empty={t('payout.noRows')}
        above={(payout) => (
          <>
            <PayoutFacts payout={payout} />
            <Filters
              listing={listing}
              filters={[{ name: 'state', label: t('column.state'), options: statesOf(payout) }]}
            />
          </>
        )}
        columns={[
          { label: t('column.row'), show: (one) => count(one.row) },
          { label: t('column.state'), show: (one) => <State state={one.state} /> },
          { label: t('column.reference'), show: (one) => <Words text={one.reference} /> },
          { label: t('column.to'), show: (one) => <Receiver to={one.to} /> },
          { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
          { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
          { label: t('payment.note'), show: (one) => (one.note === null ? <None /> : <Words text={one.note} />) },
          { label: t('payment.hash'), show: (one) => <Hash hash={one.hash} blockchain={one.blockchain} /> },
          {
            label: t('column.fault'),
            show: (one) => (one.error === null ? <None /> : <Words text={say(one.error.detail)} />),
          },
        ]}
      />
    </Page>
  );
}

/** The states that rows of this payout have. */
const statesOf = ({ rows }: Shown): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(rows).map((state) => [state, t(`state.${state}`)]));

const Receiver = ({ to }: { readonly to: string }) => (to.length > 30 ? <Code text={to} /> : <Words text={to} />);

const PayoutFacts = ({ payout }: { readonly payout: Shown }) => (
  <Facts>
    <Fact label={t('column.state')}>
      <State state={payout.state} />
    </Fact>
    <Fact label={t('column.amount')}>
      <Usdc amount={payout.total} />
    </Fact>
    <Fact label={t('payout.fees')}>
      <Usdc amount={payout.fees} />
    </Fact>
    <Fact label={t('column.rows')}>{count(payout.count)}</Fact>
    <Fact label={t('column.payer')}>
      <bdi>{payout.payer ?? t('service')}</bdi>
    </Fact>
    <Fact label={t('payout.waits')}>{payout.waiting_for && <Words text={say(payout.waiting_for.detail)} />}</Fact>
    <Fact label={t('payout.waitsUntil')}>{payout.waits_until !== null && <Time at={payout.waits_until} />}</Fact>
    <Fact label={t('column.approved')}>
      {payout.approvals.needed > 0 &&
        t('approvals.count', { given: String(payout.approvals.given), needed: String(payout.approvals.needed) })}
    </Fact>
    <Fact label={t('column.created')}>
      <Time at={payout.created_at} />
    </Fact>
    <Fact label={t('payout.confirmed')}>{payout.confirmed_at !== null && <Time at={payout.confirmed_at} />}</Fact>
    <Fact label={t('column.ended')}>{payout.ended_at !== null && <Time at={payout.ended_at} />}</Fact>
    <Fact label={t('payout.file')}>
      <Code text={payout.file.sha256} />
    </Fact>
  </Facts>
);
