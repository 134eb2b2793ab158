import { Link } from '../../../wallet/src/router.tsx';
import type { PaymentDetail } from '../contract/payments.ts';
import { OFTEN_MS, useRead } from '../reads.ts';
import { say, t } from '../text/text.ts';
import { Linked } from '../ui/Linked.tsx';
import { Fact, Facts, Nothing, Page, Panel, Reading } from '../ui/page.tsx';
import { Code, Hash, KindName, PartyName, PersonLink, State, Time, Usdc, Words } from '../ui/show.tsx';
import { Timeline } from '../ui/Timeline.tsx';
import { Deliveries, Events, Ledger, Moves } from './parts/PaymentParts.tsx';

type Detail = NonNullable<PaymentDetail['payment']>;

/** Where the money is, why, and who decided: a payment, a request for one, or a refusal. */
export default function Payment({ id }: { readonly id: string }) {
  const read = useRead<PaymentDetail>(`/api/payments/${encodeURIComponent(id)}`, OFTEN_MS);
  const what = read.data?.what ?? 'payment';
  return (
    <Page title={t(`payment.${what}`)} above={{ to: '/payments', label: t('nav.payments') }}>
      <Reading read={read}>
        {({ payment, request, refusal, ledger, moves, events, deliveries }) => (
          <>
            {request && <RequestFacts request={request} />}
            {refusal && <RefusalFacts refusal={refusal} />}
            {payment && (
              <>
                <div className="two">
                  <PaymentFacts payment={payment} />
                  <Panel title={t('timeline')}>
                    <Timeline payment={payment} />
                  </Panel>
                </div>
                <Ledger rows={ledger} />
                <Moves rows={moves} />
                <Events rows={events} />
                <Deliveries rows={deliveries} />
              </>
            )}
            {!payment && !request && !refusal && <Nothing icon="search" title={t('payment.none')} />}
          </>
        )}
      </Reading>
    </Page>
  );
}

const PaymentFacts = ({ payment }: { readonly payment: Detail }) => (
  <Panel title={t('facts')}>
    <p className="sum">
      <Usdc amount={payment.amount} /> <State state={payment.state} />
    </p>
    <Facts>
      <Fact label={t('payment.id')}>
        <Code text={payment.transaction_id} />
      </Fact>
      <Fact label={t('column.kind')}>
        <KindName payment={payment} />
      </Fact>
      <Fact label={t('column.from')}>
        <PartyName party={payment.from} id={payment.payer_user_id} />
        {'address' in payment.from && payment.payer_user_id && (
          <>
            {' '}
            <PersonLink id={payment.payer_user_id} />
          </>
        )}
      </Fact>
      <Fact label={t('payment.fromWallet')}>
        {payment.wallet_id !== null && <Code text={payment.wallet_id} to={`/wallets/${payment.wallet_id}`} />}
      </Fact>
      <Fact label={t('column.to')}>
        <PartyName party={payment.to} id={payment.payee_user_id} />
      </Fact>
      <Fact label={t('column.network')}>{payment.blockchain}</Fact>
      <Fact label={t('column.when')}>
        <Time at={payment.created_at} />
      </Fact>
      <Fact label={t('payment.hash')}>
        {payment.tx_hash !== null && <Hash hash={payment.tx_hash} blockchain={payment.blockchain} />}
      </Fact>
      <Fact label={t('payment.fee')}>{payment.network_fee !== null && <Usdc amount={payment.network_fee} />}</Fact>
      <Fact label={t('payment.note')}>{payment.payment_note && <Words text={payment.payment_note} />}</Fact>
      <Fact label={t('payment.key')}>{payment.key_id !== null && <Code text={payment.key_id} />}</Fact>
      <Fact label={t('payment.approvedBy')}>
        {payment.approvals.length > 0 && (
          <ul>
            {payment.approvals.map(({ operator, at }) => (
              <li key={operator}>
                <bdi>{operator}</bdi>, <Time at={at} />
              </li>
            ))}
          </ul>
        )}
      </Fact>
      <Fact label={t('payment.why')}>
        {(payment.error_detail ?? payment.reason) && <Linked text={say((payment.error_detail ?? payment.reason)!)} />}
      </Fact>
      <Fact label={t('payment.customersRead')}>
        {payment.error_reason !== null && <Linked text={say(payment.error_reason)} />}
      </Fact>
      <Fact label={t('payment.refundOf')}>
        {payment.refund_of && <Code text={payment.refund_of} to={`/payments/${payment.refund_of}`} />}
      </Fact>
      <Fact label={t('payment.refunds')}>
        {payment.refunds.length > 0 &&
          payment.refunds.map((one) => <Code key={one} text={one} to={`/payments/${one}`} />)}
      </Fact>
    </Facts>
    <Link
      className="onward"
      to={`/payments?${new URLSearchParams({ amount: payment.amount, day: payment.created_at.slice(0, 10) })}`}
    >
      {t('payment.similar')}
    </Link>
  </Panel>
);

const RequestFacts = ({ request }: { readonly request: NonNullable<PaymentDetail['request']> }) => (
  <Facts>
    <Fact label={t('column.state')}>
      <State state={request.state} />
    </Fact>
    <Fact label={t('column.amount')}>
      <Usdc amount={request.amount} />
    </Fact>
    <Fact label={t('request.asker')}>
      <PersonLink id={request.asker_user_id} name={request.asker_username} />
    </Fact>
    <Fact label={t('request.payer')}>
      {request.payer_user_id === null ? (
        t('request.anyone')
      ) : (
        <PersonLink id={request.payer_user_id} name={request.payer_username} />
      )}
    </Fact>
    <Fact label={t('payment.note')}>{request.note && <Words text={request.note} />}</Fact>
    <Fact label={t('column.when')}>
      <Time at={request.created_at} />
    </Fact>
    <Fact label={t('request.expires')}>
      <Time at={request.expires_at} />
    </Fact>
    <Fact label={t('request.ended')}>{request.ended_at !== null && <Time at={request.ended_at} />}</Fact>
    <Fact label={t('payment.id')}>
      <Code text={request.request_id} />
    </Fact>
  </Facts>
);

const RefusalFacts = ({ refusal }: { readonly refusal: NonNullable<PaymentDetail['refusal']> }) => (
  <>
    <p className="banner">{t('refusal.text')}</p>
    <Facts>
      <Fact label={t('column.state')}>
        <State state={refusal.state} />
      </Fact>
      <Fact label={t('column.amount')}>
        <Usdc amount={refusal.amount} />
      </Fact>
      <Fact label={t('column.to')}>
        <Words text={refusal.receiver} />
      </Fact>
      <Fact label={t('refusal.code')}>
        <code>{refusal.code}</code>
      </Fact>
      <Fact label={t('column.when')}>
        <Time at={refusal.created_at} />
      </Fact>
      <Fact label={t('payment.id')}>
        <Code text={refusal.transaction_id} />
      </Fact>
    </Facts>
  </>
);
