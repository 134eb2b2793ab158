import { Link, useRoute } from '../../../wallet/src/router.tsx';
import type { Delivery } from '../contract/flows.ts';
import { OFTEN_MS, useRead } from '../reads.ts';
import { t } from '../text/text.ts';
import { Filters } from '../ui/Filters.tsx';
import { List } from '../ui/List.tsx';
import { Fact, Facts, Page, Panel, Reading } from '../ui/page.tsx';
import { Code, count, None, State, Time, Words } from '../ui/show.tsx';
import { Table } from '../ui/Table.tsx';
import { useListing } from '../urls.ts';

const STATES = ['waiting', 'delivered', 'failed'];

/** The deliveries of a webhook; `?event=ID` shows one of them with all of its attempts. */
export default function Webhook({ id }: { readonly id: string }) {
  const { query } = useRoute();
  const listing = useListing(['state']);
  const event = query.get('event');
  const path = `/api/webhooks/${encodeURIComponent(id)}/deliveries`;
  return (
    <Page title={t('webhook')} above={{ to: '/webhooks', label: t('nav.webhooks') }}>
      <Code text={id} whole />
      {event !== null && <OneDelivery path={`${path}/${encodeURIComponent(event)}`} back={`/webhooks/${id}`} />}
      <Filters
        listing={listing}
        filters={[
          {
            name: 'state',
            label: t('column.state'),
            options: Object.fromEntries(STATES.map((one) => [one, t(`state.${one}`)])),
          },
        ]}
      />
      <List<Delivery, { rows: Delivery[] }>
        label={t('deliveries')}
        path={path}
        listing={listing}
        rowsOf={({ rows }) => rows}
        keyOf={(one) => one.event_id}
        to={(one) => `/webhooks/${id}?event=${one.event_id}`}
        empty={t('deliveries.none')}
        columns={[
          { label: t('column.happened'), sort: 'happened_at', show: (one) => <Time at={one.happened_at} /> },
          { label: t('column.type'), show: (one) => <code>{one.type}</code> },
          { label: t('column.state'), show: (one) => <State state={one.state} /> },
          { label: t('column.attempts'), sort: 'attempts', isNumber: true, show: (one) => count(one.attempts) },
          { label: t('column.last'), sort: 'attempted_at', show: (one) => <Time at={one.attempted_at} /> },
          { label: t('column.next'), show: (one) => <Time at={one.next_attempt_at} /> },
          { label: t('column.answer'), show: (one) => <Answer answer={one} /> },
        ]}
      />
    </Page>
  );
}

/** What the other side said: a status, or why there is none. */
const Answer = ({
  answer: { status, fault, took_ms: tookMs },
}: {
  readonly answer: Pick<Delivery, 'status' | 'fault' | 'took_ms'>;
}) => (
  <>
    {fault !== null ? <Words text={fault} /> : (status ?? <None />)}
    {tookMs !== null && <small> {t('took', { ms: count(tookMs) })}</small>}
  </>
);

function OneDelivery({ path, back }: { readonly path: string; readonly back: string }) {
  const read = useRead<Delivery[]>(path, OFTEN_MS);
  return (
    <Panel title={t('delivery')} actions={<Link to={back}>{t('close')}</Link>}>
      <Reading read={read}>{([delivery]) => delivery && <DeliveryFacts delivery={delivery} />}</Reading>
    </Panel>
  );
}

const DeliveryFacts = ({ delivery }: { readonly delivery: Delivery }) => (
  <>
    <Facts>
      <Fact label={t('column.event')}>
        <Code text={delivery.event_id} />
      </Fact>
      <Fact label={t('column.type')}>
        <code>{delivery.type}</code>
      </Fact>
      <Fact label={t('column.state')}>
        <State state={delivery.state} />
      </Fact>
      <Fact label={t('column.happened')}>
        <Time at={delivery.happened_at} />
      </Fact>
      <Fact label={t('column.attempts')}>{count(delivery.attempts)}</Fact>
      <Fact label={t('column.answer')}>
        <Answer answer={delivery} />
      </Fact>
      <Fact label={t('delivery.said')}>{delivery.answer !== null && <Words text={delivery.answer} />}</Fact>
      <Fact label={t('column.next')}>
        {delivery.next_attempt_at !== null && <Time at={delivery.next_attempt_at} />}
      </Fact>
    </Facts>
    {delivery.earlier_attempts.length > 0 && (
      <Table
        label={t('delivery.earlier')}
        rows={delivery.earlier_attempts}
        keyOf={(one) => one.at}
        columns={[
          { label: t('column.when'), show: (one) => <Time at={one.at} /> },
          { label: t('column.answer'), show: (one) => <Answer answer={one} /> },
          { label: t('delivery.said'), show: (one) => (one.answer === null ? <None /> : <Words text={one.answer} />) },
        ]}
      />
    )}
  </>
);
