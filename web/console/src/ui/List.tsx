/** A list of the server with its filters, order, pages and CSV. Two kinds: by cursor (newest first), or whole and sorted. */
import type { ComponentChildren } from 'preact';
import { Link, useRoute } from '../../../wallet/src/router.tsx';
import { OFTEN_MS, type Shown, useRead } from '../reads.ts';
import { t } from '../text/text.ts';
import { csvOf, type Listing, withQuery } from '../urls.ts';
import { Nothing, Reading } from './page.tsx';
import { count, showExact } from './show.tsx';
import { type Column, CsvLink, Table } from './Table.tsx';

/** The most rows of a CSV file. */
const MOST_ROWS = 10_000;
const PAGE_ROWS = 50;

interface ListProps<Row, Answer> {
  readonly label: string;
  /** Of the server, for example `/api/payments`. */
  readonly path: string;
  readonly listing: Listing;
  readonly columns: readonly Column<Row>[];
  readonly rowsOf: (answer: Answer) => readonly Row[];
  readonly keyOf: (row: Row, nth: number) => string;
  readonly to?: (row: Row) => string | undefined;
  readonly empty: string;
  readonly everyMs?: number;
  /** Beside the list, from the same answer. */
  readonly above?: (answer: Answer) => ComponentChildren;
}

interface PageOfList {
  readonly next?: string | number | null;
  readonly searched_to?: string | null;
  readonly total?: number;
}

export function List<Row, Answer extends object>(props: ListProps<Row, Answer>) {
  const { label, path, listing, columns, rowsOf, keyOf, to, empty, everyMs = OFTEN_MS, above } = props;
  const asked = new URLSearchParams(listing.query);
  asked.set('limit', String(PAGE_ROWS));
  const read: Shown<Answer> = useRead<Answer>(withQuery(path, asked), everyMs);
  return (
    <Reading read={read}>
      {(answer) => {
        const rows = rowsOf(answer);
        return (
          <>
            {above?.(answer)}
            {rows.length === 0 ? (
              <Nothing icon="search" title={listing.hasFilters ? t('list.none') : empty}>
                {listing.hasFilters && t('list.widen')}
              </Nothing>
            ) : (
              <Table
                label={label}
                columns={columns}
                rows={rows}
                keyOf={keyOf}
                to={to}
                isOld={read.isOld}
                order={{ sort: listing.get('sort'), change: (sort) => listing.set({ sort }) }}
              />
            )}
            <Pages page={answer} rows={rows.length} csv={csvOf(path, listing.query, MOST_ROWS)} />
          </>
        );
      }}
    </Reading>
  );
}

function Pages({ page, rows, csv }: { readonly page: PageOfList; readonly rows: number; readonly csv: string }) {
  const { path, query } = useRoute();
  const at = (name: string, value: string | undefined): string => {
    const next = new URLSearchParams(query);
    if (value === undefined) next.delete(name);
    else next.set(name, value);
    return withQuery(path, next);
  };
  const { next, total, searched_to: searchedTo } = page;
  const offset = Number(query.get('offset') ?? 0) || 0;
  const isFirst = total === undefined ? !query.has('after') : offset === 0;
  const before = total === undefined ? at('after', undefined) : at('offset', String(Math.max(0, offset - PAGE_ROWS)));
  const hasMore = total === undefined ? next !== null && next !== undefined : offset + rows < total;
  const after = total === undefined ? at('after', String(next)) : at('offset', String(offset + PAGE_ROWS));
  return (
    <nav className="pages" aria-label={t('pages')}>
      {searchedTo && <p className="hint">{t('list.searchedTo', { at: showExact(searchedTo) })}</p>}
      {total !== undefined && rows > 0 && (
        <span className="hint">
          {t('list.range', { from: count(offset + 1), to: count(offset + rows), total: count(total) })}
        </span>
      )}
      {!isFirst && (
        <Link className="button small" to={before} data-page="before">
          {t(total === undefined ? 'list.first' : 'list.before')}
        </Link>
      )}
      {hasMore && (
        <Link className="button small" to={after} data-page="after">
          {t('list.next')}
        </Link>
      )}
      {rows > 0 && <CsvLink href={csv} label={t('csv')} />}
    </nav>
  );
}
