import type { Webhook } from '../contract/flows.ts';
import { SELDOM_MS } from '../reads.ts';
import { t } from '../text/text.ts';
import { List } from '../ui/List.tsx';
import { Page } from '../ui/page.tsx';
import { None, PersonLink, State, Tag, Time, Words } from '../ui/show.tsx';
import { useListing } from '../urls.ts';

export default function Webhooks() {
  const listing = useListing([]);
  return (
    <Page title={t('nav.webhooks')}>
      <List<Webhook, { rows: Webhook[] }>
        label={t('nav.webhooks')}
        path="/api/webhooks"
        listing={listing}
        everyMs={SELDOM_MS}
        rowsOf={({ rows }) => rows}
        keyOf={(one) => one.webhook_id}
        to={(one) => `/webhooks/${one.webhook_id}`}
        empty={t('webhooks.none')}
        columns={[
          { label: t('column.url'), sort: 'url', show: (one) => <Words text={one.url} /> },
          {
            label: t('column.description'),
            show: (one) => (one.description ? <Words text={one.description} /> : <None />),
          },
          {
            label: t('column.state'),
            sort: 'state',
            show: (one) => (
              <>
                <State state={one.state} /> {one.is_stopped && <Tag tone="bad">{t('webhook.stopped')}</Tag>}
              </>
            ),
          },
          { label: t('column.fault'), show: (one) => (one.failure === null ? <None /> : <Words text={one.failure} />) },
          { label: t('column.failing'), sort: 'failing_since', show: (one) => <Time at={one.failing_since} since /> },
          { label: t('column.person'), show: (one) => <PersonLink id={one.user_id} /> },
          { label: t('column.created'), sort: 'created_at', show: (one) => <Time at={one.created_at} /> },
        ]}
      />
    </Page>
  );
}
