import { fromMicros, type Transaction } from '@florin/client';
import { useEffect, useMemo, useState } from 'react';
import { facts } from '../facts.ts';
import { showAmount } from '../money/amounts.ts';
import { describePayment, describeState, showSide } from '../money/describePayment.ts';
import { type Period, readPeriod } from '../money/periods.ts';
import type { Entry, Summary } from '../money/summary.ts';
import { type Statement as Read, readPeriodOfHistory, TooLong } from '../readPeriodOfHistory.ts';
import { go, Link, type Route, useTitle } from '../router.tsx';
import { dropSession, isSessionOver } from '../session.ts';
import { showDate, showTime, t } from '../text/text.ts';
import { PeriodField } from '../ui/PeriodField.tsx';
import { Bones, Button, Empty, Fault, Screen } from '../ui/parts.tsx';
import { Brand } from '../ui/Shell.tsx';

interface StatementProps {
  readonly user: { readonly username: string | null; readonly email: string | null };
  readonly query: Route['query'];
}

/** A statement that a person can hand over: who, which period, every payment, and sums that add up. */
export default function Statement({ user, query }: StatementProps) {
  const title = t('statement');
  useTitle(title);
  const written = query.toString();
  const period = useMemo(() => readPeriod(query), [written]);
  const [read, setRead] = useState<Read>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const own = user.username;
  useEffect(() => {
    const over = new AbortController();
    setRead(undefined);
    setError(undefined);
    readPeriodOfHistory(period, own, over.signal).then(
      (found) => !over.signal.aborted && setRead(found),
      (caught: unknown) => {
        if (over.signal.aborted) return;
        if (isSessionOver(caught)) dropSession();
        else setError(caught);
      },
    );
    return () => over.abort();
  }, [period, own, attempt]);

  return (
    <Screen title={title}>
      <div className="unprinted filters">
        <PeriodField
          period={period}
          onChange={(next) => go(`/statement?${new URLSearchParams({ ...next })}`, { replace: true })}
        />
        <Button variant="main" icon="print" disabled={!read} onClick={() => print()}>
          {t('print')}
        </Button>
      </div>
      <Head own={own} email={user.email} period={period} />
      {error instanceof TooLong ? (
        <Empty icon="warn" title={t('statement.tooLong')}>
          <p>{t('statement.tooLong.text')}</p>
        </Empty>
      ) : error !== undefined ? (
        <Fault error={error} retry={() => setAttempt(attempt + 1)} />
      ) : (
        !read && <Bones count={6} />
      )}
      {read && (
        <>
          {read.summaries.map((summary) => (
            <Sums key={summary.blockchain} summary={summary} isOnly={read.summaries.length === 1} />
          ))}
          {read.entries.length === 0 ? (
            <Empty icon="clock" title={t('statement.none')} />
          ) : (
            <Entries entries={read.entries} own={own} hasNetworks={read.summaries.length > 1} />
          )}
        </>
      )}
    </Screen>
  );
}

function Head({ own, email, period: { from, to } }: { own: string | null; email: string | null; period: Period }) {
  const [made] = useState(() => new Date().toISOString());
  const day = (one: string) => showDate(`${one}T12:00:00`);
  return (
    <div className="statement-head">
      <Brand />
      <p>
        <b>@{own}</b>
        {email && <small>{email}</small>}
      </p>
      <p>
        <b>
          {from && to
            ? t('statement.between', { from: day(from), to: day(to) })
            : from
              ? t('statement.since', { from: day(from) })
              : to
                ? t('statement.until', { to: day(to) })
                : t('period.all')}
        </b>
        <small>{t('statement.made', { time: showTime(made) })}</small>
      </p>
    </div>
  );
}

function Sums({ summary, isOnly }: { readonly summary: Summary; readonly isOnly: boolean }) {
  const { blockchain, before, received, paid, after } = summary;
  const isHome = blockchain === facts.home_blockchain;
  return (
    <section aria-label={t('statement.sums')}>
      {!(isOnly && isHome) && <h2>{blockchain}</h2>}
      <dl className="sums">
        {(
          [
            ['before', before],
            ['received', received],
            ['paid', paid === '0' ? paid : `-${paid}`],
            ['after', after],
          ] as const
        ).map(([name, amount]) => (
          <div key={name}>
            <dt>{t(`statement.${name}`)}</dt>
            <dd>
              {name === 'received' && amount !== '0' && '+'}
              {showAmount(amount)} <small>USDC</small>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Entries({
  entries,
  own,
  hasNetworks,
}: {
  entries: readonly Entry[];
  own: string | null;
  hasNetworks: boolean;
}) {
  return (
    <table className="entries">
      <caption className="unseen">{t('activity')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('date')}</th>
          <th scope="col">{t('statement.payment')}</th>
          <th scope="col">{t('amount')} (USDC)</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ payment, isIncoming, isVoid, change }) => (
          <tr key={payment.transaction_id} className={isVoid ? 'is-void' : undefined}>
            <td>{showDate(payment.created_at)}</td>
            <td>
              <Link to={`/payments/${payment.transaction_id}`}>
                {showSide(isIncoming ? payment.from : payment.to, payment)}
              </Link>
              <small>{listDetails(payment, own, hasNetworks).join(' · ')}</small>
              <small className="id">{payment.transaction_id}</small>
              {payment.payment_note && <small dir="auto">{payment.payment_note}</small>}
              {payment.reason && <small dir="auto">{payment.reason}</small>}
            </td>
            <td>
              {change > 0n && '+'}
              {showAmount(fromMicros(change))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The state in words, and the network, unless it is always the same. */
const listDetails = (payment: Transaction, own: string | null, hasNetworks: boolean): string[] => [
  describeState(payment, describePayment(payment, own).isIncoming),
  ...(hasNetworks ? [payment.blockchain] : []),
];
