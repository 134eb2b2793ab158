import { Link, useRoute } from '../../../wallet/src/router.tsx';
import { Icon } from '../../../wallet/src/ui/Icon.tsx';
import type { Home as Figures } from '../contract/service.ts';
import { OFTEN_MS, useRead } from '../reads.ts';
import { t } from '../text/text.ts';
import { AuditFacts } from '../ui/AuditFacts.tsx';
import { NetworkTable, RelayerTable } from '../ui/NetworkTables.tsx';
import { PauseList } from '../ui/PauseList.tsx';
import { Page, Panel, Reading } from '../ui/page.tsx';
import { count, State, Time, Usdc } from '../ui/show.tsx';
import { Table } from '../ui/Table.tsx';
import { useListing } from '../urls.ts';
import { HomeCharts } from './parts/HomeCharts.tsx';

const SPANS = ['day', 'week', 'month'] as const;

/** Is everything all right, and what needs a person? */
export default function Home() {
  const { query } = useRoute();
  const span = SPANS.find((one) => one === query.get('span')) ?? 'day';
  const read = useRead<Figures>(`/api/home?span=${span}`, OFTEN_MS);
  return (
    <Page title={t('nav.home')} actions={<SpanChoice span={span} />}>
      <Reading read={read}>
        {(home) => (
          <>
            <Attention home={home} />
            <HomeCharts home={home} />
            <OpenPayments open={home.open} />
            {home.pauses.length > 0 && (
              <Panel title={t('pauses')}>
                <PauseList pauses={home.pauses} />
              </Panel>
            )}
            <Panel title={t('nav.networks')} actions={<Link to="/networks">{t('more')}</Link>}>
              <NetworkTable networks={home.networks} />
            </Panel>
            {home.relayers.length > 0 && (
              <Panel title={t('relayers')}>
                <RelayerTable relayers={home.relayers} />
              </Panel>
            )}
            <Panel title={t('audit')} actions={<Link to="/books">{t('more')}</Link>}>
              <AuditFacts audit={home.audit} />
            </Panel>
          </>
        )}
      </Reading>
    </Page>
  );
}

function SpanChoice({ span }: { readonly span: (typeof SPANS)[number] }) {
  const listing = useListing([]);
  return (
    <fieldset className="spans" aria-label={t('span')}>
      {SPANS.map((one) => (
        <button
          key={one}
          type="button"
          className="button small"
          aria-pressed={one === span}
          onClick={() => listing.set({ span: one === 'day' ? '' : one })}
        >
          {t(`span.${one}`)}
        </button>
      ))}
    </fieldset>
  );
}

/** What needs a person, or the sentence that nothing does. */
function Attention({ home }: { readonly home: Figures }) {
  const { waiting, pauses, networks, relayers, audit, open } = home;
  const stuck = open.find(({ state }) => state === 'STUCK')?.count ?? 0;
  const faulty = networks.filter(({ fault, nodes }) => fault !== null || nodes.length > 0).length;
  const empty = relayers.filter(({ fault }) => fault !== null).length;
  const items = [
    { number: waiting.sends, text: 'needs.sends', to: '/approvals' },
    { number: waiting.payouts, text: 'needs.payouts', to: '/approvals' },
    { number: waiting.refunds, text: 'needs.refunds', to: '/approvals' },
    { number: waiting.corrections, text: 'needs.corrections', to: '/approvals' },
    { number: waiting.transfers, text: 'needs.transfers', to: '/approvals' },
    { number: stuck, text: 'needs.stuck', to: '/stuck' },
    { number: pauses.length, text: 'needs.pauses', to: '/settings/pauses' },
    { number: faulty, text: 'needs.networks', to: '/networks' },
    { number: empty, text: 'needs.relayers', to: '/networks' },
    { number: audit.faults, text: 'needs.audit', to: '/books' },
  ].filter(({ number }) => number > 0);
  if (items.length === 0) {
    return (
      <p className="calm">
        <Icon name="check" /> {t('needs.nothing')}
      </p>
    );
  }
  return (
    <ul className="needs" aria-label={t('needs')}>
      {items.map(({ number, text, to }) => (
        <li key={text}>
          <Link to={to}>
            <b>{count(number)}</b>
            <span>{t(text)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const OpenPayments = ({ open }: Pick<Figures, 'open'>) => (
  <Panel title={t('open')} actions={<Link to="/stuck">{t('open.why')}</Link>}>
    {open.length === 0 ? (
      <p className="hint">{t('open.none')}</p>
    ) : (
      <Table
        label={t('open')}
        rows={open}
        keyOf={({ state }) => state}
        to={({ state }) => `/payments?state=${state}`}
        columns={[
          { label: t('column.state'), show: (one) => <State state={one.state} /> },
          { label: t('column.count'), isNumber: true, show: (one) => count(one.count) },
          { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
          { label: t('column.oldest'), show: (one) => <Time at={one.oldest_at} since /> },
        ]}
      />
    )}
  </Panel>
);
