import type { PersonRow } from '../contract/people.ts';
import { t } from '../text/text.ts';
import { Filters } from '../ui/Filters.tsx';
import { List } from '../ui/List.tsx';
import { Page } from '../ui/page.tsx';
import { None, State, shorten, Tag, Time } from '../ui/show.tsx';
import { useListing } from '../urls.ts';

const CHECKS = ['none', 'started', 'pending', 'needs_input', 'approved', 'rejected', 'revoked'];

export default function People() {
  const listing = useListing(['name', 'kyc', 'state', 'day', 'since', 'until']);
  return (
    <Page title={t('nav.people')}>
      <Filters
        listing={listing}
        filters={[
          { name: 'name', label: t('column.name'), placeholder: t('filter.name') },
          {
            name: 'kyc',
            label: t('column.kyc'),
            options: Object.fromEntries(CHECKS.map((one) => [one, t(`state.${one}`)])),
          },
          {
            name: 'state',
            label: t('column.state'),
            options: { paused: t('person.paused'), closed: t('person.closed') },
          },
          { name: 'day', label: t('filter.joined'), type: 'date' },
        ]}
      />
      <List<PersonRow, { users: PersonRow[] }>
        label={t('nav.people')}
        path="/api/people"
        listing={listing}
        rowsOf={({ users }) => users}
        keyOf={(one) => one.user_id}
        to={(one) => `/people/${one.user_id}`}
        empty={t('people.none')}
        columns={[
          {
            label: t('column.name'),
            show: (one) => (one.username ? <bdi>@{one.username}</bdi> : shorten(one.user_id)),
          },
          { label: t('column.email'), show: (one) => (one.email === null ? <None /> : <bdi>{one.email}</bdi>) },
          { label: t('column.kyc'), show: (one) => <State state={one.kyc_status} /> },
          {
            label: t('column.state'),
            show: (one) =>
              one.closed_at !== null ? (
                <Tag>{t('person.closed')}</Tag>
              ) : one.is_paused ? (
                <Tag tone="bad">{t('person.paused')}</Tag>
              ) : (
                <Tag tone="good">{t('person.open')}</Tag>
              ),
          },
          { label: t('column.joined'), show: (one) => <Time at={one.created_at} /> },
        ]}
      />
    </Page>
  );
}
