import { Icon } from '../../../wallet/src/ui/Icon.tsx';
import type { Books as Shown } from '../contract/service.ts';
import { SELDOM_MS, useRead } from '../reads.ts';
import { t } from '../text/text.ts';
import { AuditFacts } from '../ui/AuditFacts.tsx';
import { CorrectionTable } from '../ui/CorrectionTable.tsx';
import { Page, Panel, Reading } from '../ui/page.tsx';
import { Code, count, None, PersonLink, Time, Usdc, Words } from '../ui/show.tsx';
import { type Column, Table } from '../ui/Table.tsx';

/** Do the ledger and the coins agree today? */
export default function Books() {
  const read = useRead<Shown>('/api/books', SELDOM_MS);
  return (
    <Page title={t('nav.books')}>
      <Reading read={read}>
        {(books) => (
          <>
            <Verdict books={books} />
            <Assets rows={books.assets} />
            <Differences books={books} />
            <Panel title={t('audit')}>
              <AuditFacts audit={books.audit} />
              {books.audit.faulty.length > 0 && (
                <Table
                  label={t('audit.found')}
                  rows={books.audit.faulty}
                  keyOf={(one) => `${one.subject} ${one.fault}`}
                  columns={[
                    { label: t('column.subject'), show: (one) => <Words text={one.subject} /> },
                    { label: t('column.fault'), show: (one) => <Words text={one.fault} /> },
                    { label: t('column.since'), show: (one) => <Time at={one.found_at} since /> },
                  ]}
                />
              )}
            </Panel>
            <Moving rows={books.moving} />
          </>
        )}
      </Reading>
    </Page>
  );
}

function Verdict({ books }: { readonly books: Shown }) {
  const { differences, audit, unexplained } = books;
  const isGood = differences.length === 0 && audit.faults === 0 && unexplained.length === 0;
  return (
    <p className={isGood ? 'calm' : 'calm bad'} role="status">
      <Icon name={isGood ? 'check' : 'warn'} /> {t(isGood ? 'books.agree' : 'books.differ')}
    </p>
  );
}

const Assets = ({ rows }: { readonly rows: Shown['assets'] }) => (
  <Panel title={t('assets')} note={t('assets.text')}>
    <Table
      label={t('assets')}
      rows={rows}
      keyOf={(one) => `${one.blockchain} ${one.symbol}`}
      columns={[
        { label: t('column.network'), show: (one) => <b>{one.blockchain}</b> },
        { label: t('column.owed'), isNumber: true, show: (one) => <Usdc amount={one.owed} /> },
        { label: t('column.coins'), isNumber: true, show: (one) => <Usdc amount={one.coins} /> },
        { label: t('column.reserved'), isNumber: true, show: (one) => <Usdc amount={one.reserved} /> },
        { label: t('column.wallets'), isNumber: true, show: (one) => count(one.wallets) },
      ]}
    />
  </Panel>
);

const WalletCell = ({ id, address }: { readonly id: string | null; readonly address?: string | null }) =>
  id === null ? <None /> : <Code text={address ?? id} to={`/wallets/${id}`} />;

/** A part of the screen that is there only when there is something to do. */
function Worry<Row>(props: {
  readonly title: string;
  readonly note?: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
}) {
  const { title, note, rows, keyOf, columns } = props;
  if (rows.length === 0) return null;
  return (
    <Panel title={title} note={note}>
      <Table label={title} rows={rows} keyOf={keyOf} columns={columns} />
    </Panel>
  );
}

const Differences = ({ books }: { readonly books: Shown }) => (
  <>
    <Worry
      title={t('differences')}
      note={t('differences.text')}
      rows={books.differences}
      keyOf={(one) => `${one.blockchain} ${one.wallet_id}`}
      columns={[
        { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
        { label: t('column.wallet'), show: (one) => <WalletCell id={one.wallet_id} address={one.address} /> },
        { label: t('column.difference'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
        { label: t('column.since'), show: (one) => <Time at={one.since} since /> },
      ]}
    />
    <Worry
      title={t('surpluses')}
      note={t('surpluses.text')}
      rows={books.surpluses}
      keyOf={(one) => `${one.blockchain} ${one.wallet_id}`}
      columns={[
        { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
        { label: t('column.wallet'), show: (one) => <WalletCell id={one.wallet_id} /> },
        { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
        { label: t('column.since'), show: (one) => <Time at={one.since} since /> },
      ]}
    />
    <Worry
      title={t('unexplained')}
      note={t('unexplained.text')}
      rows={books.unexplained}
      keyOf={(one) => `${one.tx_hash} ${one.log_index}`}
      columns={[
        { label: t('column.hash'), show: (one) => <Code text={one.tx_hash} /> },
        { label: t('column.amount'), isNumber: true, show: (one) => <Usdc amount={one.amount} /> },
        { label: t('column.wallet'), show: (one) => <WalletCell id={one.wallet_id} /> },
        { label: t('column.to'), show: (one) => <Code text={one.to_address} /> },
      ]}
    />
    <Worry
      title={t('debts')}
      note={t('debts.text')}
      rows={books.debts}
      keyOf={(one) => one.payment_id}
      columns={[
        {
          label: t('payment.payment'),
          show: (one) => <Code text={one.payment_id} to={`/payments/${one.payment_id}`} />,
        },
        { label: t('column.person'), show: (one) => <PersonLink id={one.user_id} /> },
        { label: t('column.owes'), isNumber: true, show: (one) => <Usdc amount={one.owed} /> },
        { label: t('column.available'), isNumber: true, show: (one) => <Usdc amount={one.available} /> },
      ]}
    />
    {books.corrections.length > 0 && (
      <Panel title={t('approvals.corrections')}>
        <CorrectionTable rows={books.corrections} />
      </Panel>
    )}
  </>
);

const Moving = ({ rows }: { readonly rows: Shown['moving'] }) => (
  <Worry
    title={t('moving')}
    note={t('moving.text')}
    rows={rows.filter(
      (one) => one.people_without + one.wallets_elsewhere > 0 || !/^0(\.0*)?$/.test(one.coins_elsewhere),
    )}
    keyOf={(one) => `${one.blockchain} ${one.provider}`}
    columns={[
      { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
      { label: t('column.provider'), show: (one) => one.provider },
      { label: t('column.peopleWithout'), isNumber: true, show: (one) => count(one.people_without) },
      { label: t('column.coinsElsewhere'), isNumber: true, show: (one) => <Usdc amount={one.coins_elsewhere} /> },
      { label: t('column.walletsElsewhere'), isNumber: true, show: (one) => count(one.wallets_elsewhere) },
    ]}
  />
);
