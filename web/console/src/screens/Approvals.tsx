import type { Approvals as Waiting } from '../contract/service.ts';
import { OFTEN_MS, useRead } from '../reads.ts';
import { say, t } from '../text/text.ts';
import { CorrectionTable } from '../ui/CorrectionTable.tsx';
import { HeldTable } from '../ui/HeldTable.tsx';
import { Nothing, Page, Panel, Reading } from '../ui/page.tsx';
import { Code, None, PersonLink, State, Tag, Time, Usdc, Words } from '../ui/show.tsx';
import { Table } from '../ui/Table.tsx';
import { payoutColumns } from './parts/payoutColumns.tsx';

/** Everything that waits for the decision of a person: who asked, who has approved, what it changes. */
export default function Approvals() {
  const read = useRead<Waiting>('/api/approvals', OFTEN_MS);
  return (
    <Page title={t('nav.approvals')}>
      <Reading read={read}>
        {(waiting) => {
          const { sends, payouts, refunds, corrections, transfers } = waiting;
          const all = sends.length + payouts.length + refunds.length + corrections.length + transfers.length;
          if (all === 0) return <Nothing title={t('approvals.none')}>{t('approvals.none.text')}</Nothing>;
          return (
            <>
              {sends.length > 0 && <Sends rows={sends} />}
              {payouts.length > 0 && (
                <Panel title={t('approvals.payouts')}>
                  <Table
                    label={t('approvals.payouts')}
                    rows={payouts}
                    keyOf={(one) => one.payout_id}
                    to={(one) => `/payouts/${one.payout_id}`}
                    columns={payoutColumns()}
                  />
                </Panel>
              )}
              {refunds.length > 0 && <Refunds rows={refunds} />}
              {corrections.length > 0 && (
                <Panel title={t('approvals.corrections')}>
                  <CorrectionTable rows={corrections} />
                </Panel>
              )}
              {transfers.length > 0 && (
                <Panel title={t('approvals.transfers')} note={t('approvals.transfers.text')}>
                  <HeldTable rows={transfers} />
                </Panel>
              )}
            </>
          );
        }}
      </Reading>
    </Page>
  );
}

/** `1 of 2 (ada)`. */
const Approved = ({ by, needed }: { readonly by: readonly string[]; readonly needed: number }) => (
  <>
    {t('approvals.count', { given: String(by.length), needed: String(needed) })}
    {by.length > 0 && <bdi className="by">{by.join(', ')}</bdi>}
  </>
);

const Sends = ({ rows }: { readonly rows: Waiting['sends'] }) => (
  <Panel title={t('approvals.sends')}>
    <Table
      label={t('approvals.sends')}
      rows={rows}
      keyOf={(one) => one.transaction_id}
      to={(one) => `/payments/${one.transaction_id}`}
      columns={[
        { label: t('column.since'), show: (one) => <Time at={one.created_at} since /> },
        { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
        {
          label: t('column.from'),
          show: (one) =>
            one.payer_user_id === null ? t('service') : <PersonLink id={one.payer_user_id} name={one.payer_username} />,
        },
        {
          label: t('column.kyc'),
          show: (one) => (one.payer_kyc_status ? <State state={one.payer_kyc_status} /> : <None />),
        },
        {
          label: t('column.to'),
          show: (one) => (
            <>
              <Code text={one.destination} /> {one.is_new_address && <Tag tone="wait">{t('approvals.newAddress')}</Tag>}
            </>
          ),
        },
        { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
        { label: t('column.asked'), show: (one) => (one.key === null ? t('approvals.person') : <bdi>{one.key}</bdi>) },
        { label: t('column.notBefore'), show: (one) => <Time at={one.not_before} /> },
        { label: t('column.approved'), show: (one) => <Approved by={one.approved_by} needed={one.approvals_needed} /> },
      ]}
    />
  </Panel>
);

const Refunds = ({ rows }: { readonly rows: Waiting['refunds'] }) => (
  <Panel title={t('approvals.refunds')}>
    <Table
      label={t('approvals.refunds')}
      rows={rows}
      keyOf={(one) => one.refund_id}
      to={(one) => `/payments/${one.refund_of}`}
      columns={[
        { label: t('column.since'), show: (one) => <Time at={one.proposed_at} since /> },
        { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
        { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
        { label: t('payment.refundOf'), show: (one) => <Code text={one.refund_of} /> },
        { label: t('column.reason'), show: (one) => <Words text={say(one.reason)} /> },
        { label: t('column.asked'), show: (one) => <bdi>{one.proposed_by}</bdi> },
        {
          label: t('column.approved'),
          show: (one) => (one.approved_by === null ? <None /> : <bdi>{one.approved_by}</bdi>),
        },
      ]}
    />
  </Panel>
);
