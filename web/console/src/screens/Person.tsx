import { showAmount } from '../../../wallet/src/money/amounts.ts';
import { Link } from '../../../wallet/src/router.tsx';
import type { Payment } from '../contract/payments.ts';
import type { Person as Shown } from '../contract/people.ts';
import { OFTEN_MS, useRead } from '../reads.ts';
import { say, t } from '../text/text.ts';
import { AuditTable } from '../ui/AuditTable.tsx';
import { AccountKeyTable } from '../ui/KeyTables.tsx';
import { Linked } from '../ui/Linked.tsx';
import { PauseList } from '../ui/PauseList.tsx';
import { Fact, Facts, Nothing, Page, Panel, Reading } from '../ui/page.tsx';
import { Code, count, None, State, Tag, Time, Usdc, Words } from '../ui/show.tsx';
import { Table } from '../ui/Table.tsx';
import { paymentColumns, paymentPath } from './parts/paymentColumns.tsx';

/** `id`: anything that names a person. */
export default function Person({ id }: { readonly id: string }) {
  const read = useRead<Shown>(`/api/people/${encodeURIComponent(id)}`, OFTEN_MS);
  const name = read.data?.username;
  return (
    <Page title={name ? `@${name}` : t('person')} above={{ to: '/people', label: t('nav.people') }}>
      <Reading read={read}>
        {(person) => (
          <>
            {person.pauses.length > 0 && (
              <Panel title={t('person.pauses')}>
                <PauseList pauses={person.pauses} />
              </Panel>
            )}
            <div className="two">
              <Profile person={person} />
              <LimitPanel person={person} />
            </div>
            <Balances person={person} />
            <Payments person={person} />
            <Sessions person={person} />
            {person.account_keys.length > 0 && (
              <Panel title={t('accountKeys')}>
                <AccountKeyTable rows={person.account_keys} />
              </Panel>
            )}
            <Panel
              title={t('person.audit')}
              actions={<Link to={`/settings/audit?user=${person.user_id}`}>{t('more')}</Link>}
            >
              {person.audit.length === 0 ? (
                <p className="hint">{t('audit.empty')}</p>
              ) : (
                <AuditTable rows={person.audit} />
              )}
            </Panel>
          </>
        )}
      </Reading>
    </Page>
  );
}

interface About {
  readonly person: Shown;
}

const Profile = ({ person }: About) => (
  <Panel title={t('facts')}>
    <Facts>
      <Fact label={t('person.id')}>
        <Code text={person.user_id} />
      </Fact>
      <Fact label={t('column.name')}>{person.username === null ? t('nameless') : <bdi>@{person.username}</bdi>}</Fact>
      <Fact label={t('person.before')}>
        {person.old_usernames.length > 0 && <bdi>{person.old_usernames.join(', ')}</bdi>}
      </Fact>
      <Fact label={t('column.email')}>{person.email !== null && <bdi>{person.email}</bdi>}</Fact>
      <Fact label={t('person.issuer')}>
        <bdi>{person.issuer}</bdi>
      </Fact>
      <Fact label={t('column.kyc')}>
        <State state={person.kyc_status} />
      </Fact>
      <Fact label={t('person.kycReasons')}>
        {person.kyc_reasons.length > 0 && person.kyc_reasons.map((one) => <Words key={one} text={one} />)}
      </Fact>
      <Fact label={t('person.canPay')}>
        {person.paused_because === null ? (
          <Tag tone="good">{t('yes')}</Tag>
        ) : (
          <>
            <Tag tone="bad">{t('no')}</Tag> <Linked text={say(person.paused_because)} />
          </>
        )}
      </Fact>
      <Fact label={t('column.joined')}>
        <Time at={person.created_at} />
      </Fact>
      <Fact label={t('person.lastSeen')}>
        <Time at={person.last_used_at} since />
      </Fact>
    </Facts>
  </Panel>
);

const LimitPanel = ({ person: { tier, limits } }: About) => (
  <Panel title={t('limits')} note={<Words text={t('limits.tier', { tier })} />}>
    <Table
      label={t('limits')}
      rows={limits}
      keyOf={(one) => one.limit}
      columns={[
        { label: t('column.limit'), show: (one) => t(`limit.${one.limit}`) },
        { label: t('column.left'), isNumber: true, show: (one) => showLimit(one.limit, one.left) },
        { label: t('column.most'), isNumber: true, show: (one) => showLimit(one.limit, one.maximum) },
        { label: t('column.resets'), show: (one) => <Time at={one.resets_at} /> },
      ]}
    />
  </Panel>
);

function showLimit(limit: string, value: string | null): string {
  if (value === null) return t('unlimited');
  return limit === 'count' ? count(Number(value)) : showAmount(value);
}

const Balances = ({ person }: About) => (
  <Panel title={t('balances')}>
    {person.balances.length === 0 ? (
      <p className="hint">{t('balances.none')}</p>
    ) : (
      <Table
        label={t('balances')}
        rows={person.balances}
        keyOf={(one) => one.blockchain}
        columns={[
          { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
          { label: t('column.available'), isNumber: true, show: (one) => <Usdc amount={one.available} /> },
          { label: t('column.held'), isNumber: true, show: (one) => <Usdc amount={one.held} /> },
          {
            label: t('column.wallet'),
            show: (one) =>
              one.address === null ? (
                t('wallet.making')
              ) : (
                <Code text={one.address} to={`/wallets/${one.wallet_id ?? one.address}`} />
              ),
          },
        ]}
      />
    )}
    <Link className="onward" to={`/deposits?user=${person.user_id}`}>
      {t('person.deposits')}
    </Link>
  </Panel>
);

const Payments = ({ person }: About) => (
  <Panel
    title={t('person.payments')}
    actions={<Link to={`/payments?user=${person.user_id}`}>{t('person.allPayments')}</Link>}
  >
    {person.payments.length === 0 ? (
      <Nothing icon="search" title={t('payments.none')} />
    ) : (
      <Table<Payment & { readonly available_after: string }>
        label={t('person.payments')}
        rows={person.payments}
        keyOf={(one) => one.transaction_id}
        to={paymentPath}
        columns={[
          ...paymentColumns(),
          { label: t('column.after'), isNumber: true, show: (one) => <Usdc amount={one.available_after} /> },
        ]}
      />
    )}
  </Panel>
);

const Sessions = ({ person: { sessions } }: About) => (
  <Panel title={t('sessions')}>
    {sessions.length === 0 ? (
      <p className="hint">{t('sessions.none')}</p>
    ) : (
      <Table
        label={t('sessions')}
        rows={sessions}
        keyOf={(one) => one.session_id}
        columns={[
          {
            label: t('column.program'),
            show: (one) => (one.user_agent === null ? <None /> : <Words text={one.user_agent} />),
          },
          { label: t('column.since'), show: (one) => <Time at={one.created_at} /> },
          { label: t('person.lastSeen'), show: (one) => <Time at={one.last_used_at} since /> },
          { label: t('column.session'), show: (one) => <Code text={one.session_id} /> },
        ]}
      />
    )}
  </Panel>
);
