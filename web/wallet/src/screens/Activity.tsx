import { useEffect, useState } from 'react';
import { saveFile } from '../device.ts';
import { type Search, toHistoryQuery, useFound } from '../foundPayments.ts';
import { readPeriod } from '../money/periods.ts';
import { Link, type Route, useTitle } from '../router.tsx';
import { readStatement } from '../statement.ts';
import { t } from '../text/text.ts';
import { MoreBelow } from '../ui/MoreBelow.tsx';
import { PaymentList } from '../ui/PaymentList.tsx';
import { PeriodField } from '../ui/PeriodField.tsx';
import { Bones, Button, Choice, Empty, Fault, Field, Screen } from '../ui/parts.tsx';

const DIRECTIONS = ['all', 'in', 'out'] as const;

const readSearch = (query: Route['query']): Search => ({
  text: query.get('search') ?? '',
  direction: DIRECTIONS.find((one) => one === query.get('direction')) ?? 'all',
  period: readPeriod(query),
});

/** Without what is not restricted. */
const writeSearch = ({ text, direction, period }: Search): string =>
  String(
    new URLSearchParams(
      Object.entries({ search: text, direction: direction === 'all' ? '' : direction, ...period }).filter(
        ([, value]) => value !== '',
      ),
    ),
  );

/** All payments of a person: search, filters, and the way to a statement. */
export default function Activity({ own, query }: { readonly own: string; readonly query: Route['query'] }) {
  const title = t('activity');
  useTitle(title);
  const [search, setSearch] = useState<Search>(() => readSearch(query));
  const { text, direction, period } = search;
  const { rows, next, error, more } = useFound(search);
  const change = (changes: Partial<Search>) => setSearch({ ...search, ...changes });
  const written = writeSearch(search);
  // A reload, and "back" from a payment, find the same search.
  useEffect(() => history.replaceState(history.state, '', `/activity${written && `?${written}`}`), [written]);

  return (
    <Screen title={title}>
      <search className="filters">
        <Field
          id="search"
          type="search"
          label={t('search')}
          value={text}
          maxLength={140}
          dir="auto"
          autocomplete="off"
          placeholder={t('search.example')}
          onInput={(event) => change({ text: event.currentTarget.value })}
        />
        <Choice
          id="direction"
          label={t('search.which')}
          options={{ all: t('search.all'), in: t('search.in'), out: t('search.out') }}
          chosen={direction}
          onChoose={(chosen) => change({ direction: chosen })}
        />
        <PeriodField period={period} onChange={(chosen) => change({ period: chosen })} />
      </search>
      <Files own={own} search={search} />
      <section className="activity" aria-label={t('search.found')} aria-busy={next === undefined}>
        <h2 className="unseen">{t('search.found')}</h2>
        {error !== undefined && rows.length === 0 && <Fault error={error} retry={more} />}
        {next === undefined && error === undefined && <Bones count={5} />}
        {next === null && rows.length === 0 && (
          <Empty icon="search" title={t(written === '' ? 'activity.none' : 'search.none')}>
            <p>{t(written === '' ? 'activity.none.text' : 'search.none.text')}</p>
            {written !== '' && (
              <Button onClick={() => setSearch(readSearch(new URLSearchParams()))}>{t('search.clear')}</Button>
            )}
          </Empty>
        )}
        {rows.length > 0 && <PaymentList rows={rows} own={own} />}
        {next && (error === undefined || rows.length > 0) && <MoreBelow next={next} error={error} onNear={more} />}
      </section>
    </Screen>
  );
}

/** The payments that were found as a table, and the statement of the period. */
function Files({ own, search }: { readonly own: string; readonly search: Search }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { from, to } = search.period;
  const save = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const days = from || to ? `${from}-to-${to}` : new Date().toISOString().slice(0, 10);
      saveFile(`${own}-${days}.csv`, 'text/csv', await readStatement(toHistoryQuery(search)));
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
  };
  return (
    <>
      <div className="pair">
        <Link className="button soft" to={`/statement?${new URLSearchParams({ from, to })}`}>
          {t('statement')}
        </Link>
        <Button icon="download" busy={busy} onClick={() => void save()}>
          {t('search.csv')}
        </Button>
      </div>
      {error !== undefined && <Fault error={error} />}
    </>
  );
}
