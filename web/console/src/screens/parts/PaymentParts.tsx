/** What the service did for a payment: in the ledger, with coins, and towards webhooks. */
import type { Account, PaymentDetail } from '../../contract/payments.ts';
import { findText, t } from '../../text/text.ts';
import { Panel } from '../../ui/page.tsx';
import { Code, count, Hash, None, PersonLink, State, Time, Usdc, Words } from '../../ui/show.tsx';
import { Table } from '../../ui/Table.tsx';

interface Rows<Name extends keyof PaymentDetail> {
  readonly rows: PaymentDetail[Name];
}

const AccountName = ({ account }: { readonly account: Account }) =>
  account.user_id === null ? (
    (findText(`owner.${account.owner}`) ?? account.owner)
  ) : (
    <PersonLink id={account.user_id} name={account.username} />
  );

export const Ledger = ({ rows }: Rows<'ledger'>) => (
  <Panel title={t('ledger')} note={t('ledger.text')}>
    {rows.length === 0 ? (
      <p className="hint">{t('ledger.none')}</p>
    ) : (
      <Table
        label={t('ledger')}
        rows={rows}
        keyOf={(one) => `${one.transfer_id} ${one.seq}`}
        columns={[
          { label: t('column.when'), show: (one) => <Time at={one.at} /> },
          { label: t('column.kind'), show: (one) => findText(`transfer.${one.kind}`) ?? one.kind },
          { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
          { label: t('column.debit'), show: (one) => <AccountName account={one.debit} /> },
          { label: t('column.credit'), show: (one) => <AccountName account={one.credit} /> },
          { label: t('column.transfer'), show: (one) => <Code text={one.transfer_id} /> },
        ]}
      />
    )}
  </Panel>
);

export const Moves = ({ rows }: Rows<'moves'>) =>
  rows.length > 0 && (
    <Panel title={t('moves')} note={t('moves.text')}>
      <Table
        label={t('moves')}
        rows={rows}
        keyOf={(one) => one.move_id}
        columns={[
          { label: t('column.move'), show: (one) => <Code text={one.move_id} /> },
          { label: t('column.state'), show: (one) => <State state={one.state} /> },
          { label: t('column.purpose'), show: (one) => one.purpose },
          { label: t('column.rail'), show: (one) => one.rail },
          { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
          {
            label: t('column.from'),
            show: (one) => <Code text={one.from_address} to={`/wallets/${one.from_wallet_id}`} />,
          },
          { label: t('column.to'), show: (one) => <Code text={one.to_address} /> },
          { label: t('column.hash'), show: (one) => <Hash hash={one.tx_hash} blockchain={one.blockchain} /> },
          { label: t('column.started'), show: (one) => <Time at={one.started_at} /> },
        ]}
      />
    </Panel>
  );

export const Events = ({ rows }: Rows<'events'>) =>
  rows.length > 0 && (
    <Panel title={t('events')}>
      <Table
        label={t('events')}
        rows={rows}
        keyOf={(one) => one.event_id}
        columns={[
          { label: t('column.when'), show: (one) => <Time at={one.at} /> },
          { label: t('column.type'), show: (one) => <code>{one.type}</code> },
          { label: t('column.event'), show: (one) => <Code text={one.event_id} /> },
        ]}
      />
    </Panel>
  );

export const Deliveries = ({ rows }: Rows<'deliveries'>) =>
  rows.length > 0 && (
    <Panel title={t('deliveries')}>
      <Table
        label={t('deliveries')}
        rows={rows}
        keyOf={(one) => `${one.webhook_id} ${one.event_id}`}
        to={(one) => `/webhooks/${one.webhook_id}?event=${one.event_id}`}
        columns={[
          { label: t('column.url'), show: (one) => <Words text={one.url} /> },
          { label: t('column.type'), show: (one) => <code>{one.type}</code> },
          { label: t('column.state'), show: (one) => <State state={one.state} /> },
          { label: t('column.attempts'), isNumber: true, show: (one) => count(one.attempts) },
          { label: t('column.answer'), show: (one) => one.fault ?? one.status ?? <None /> },
          { label: t('column.last'), show: (one) => <Time at={one.attempted_at} /> },
        ]}
      />
    </Panel>
  );
