import { Link } from '../../../wallet/src/router.tsx';
import type { StuckRow } from '../contract/payments.ts';
import { blockchains } from '../options.ts';
import { say, t } from '../text/text.ts';
import { Filters } from '../ui/Filters.tsx';
import { Linked } from '../ui/Linked.tsx';
import { List } from '../ui/List.tsx';
import { Page } from '../ui/page.tsx';
import { Code, count, PersonLink, State, Tag, Time, Usdc } from '../ui/show.tsx';
import { useListing } from '../urls.ts';

const REASONS = ['approval', 'delay', 'pause', 'node', 'worker', 'gas', 'coins', 'provider', 'chain', 'signing'];

interface Answer {
  readonly rows: readonly StuckRow[];
  readonly by_why: readonly { readonly why: string; readonly count: number; readonly amount: string }[];
}

/** Everything without progress, why, and what ends it. */
export default function Stuck() {
  const listing = useListing(['why', 'blockchain']);
  return (
    <Page title={t('nav.stuck')}>
      <p className="lead">{t('stuck.text')}</p>
      <Filters
        listing={listing}
        filters={[
          {
            name: 'why',
            label: t('column.why'),
            options: Object.fromEntries(REASONS.map((one) => [one, t(`why.${one}`)])),
          },
          { name: 'blockchain', label: t('column.network'), options: blockchains() },
        ]}
      />
      <List<StuckRow, Answer>
        label={t('nav.stuck')}
        path="/api/stuck"
        listing={listing}
        rowsOf={({ rows }) => rows}
        keyOf={(one) => one.transaction_id}
        to={(one) => `/payments/${one.transaction_id}`}
        empty={t('stuck.none')}
        above={({ by_why: byWhy }) => <Sums byWhy={byWhy} />}
        columns={[
          { label: t('column.since'), sort: 'since', show: (one) => <Time at={one.since} since /> },
          { label: t('column.amount'), sort: 'amount', isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
          { label: t('column.state'), sort: 'state', show: (one) => <State state={one.state} /> },
          {
            label: t('column.fromTo'),
            show: (one) => (
              <span className="pair-of">
                {one.payer_user_id === null ? (
                  t('service')
                ) : (
                  <PersonLink id={one.payer_user_id} name={one.payer_username} />
                )}
                <Code text={one.destination} />
              </span>
            ),
          },
          {
            label: t('column.network'),
            sort: 'blockchain',
            show: (one) => <span className="whole">{one.blockchain}</span>,
          },
          {
            label: t('column.why'),
            sort: 'why',
            isWide: true,
            show: (one) => (
              <>
                <Tag tone="wait">{t(`why.${one.why}`)}</Tag> <Linked text={say(one.detail)} />
              </>
            ),
          },
          { label: t('column.ends'), isWide: true, show: (one) => <Linked text={say(one.ends)} /> },
        ]}
      />
    </Page>
  );
}

const Sums = ({ byWhy }: { readonly byWhy: Answer['by_why'] }) =>
  byWhy.length > 0 && (
    <ul className="needs" aria-label={t('stuck.byWhy')}>
      {byWhy.map(({ why, count: number, amount }) => (
        <li key={why}>
          <Link to={`/stuck?why=${why}`}>
            <b>{count(number)}</b>
            <span>{t(`why.${why}`)}</span>
            <small>
              <Usdc amount={amount} />
            </small>
          </Link>
        </li>
      ))}
    </ul>
  );
