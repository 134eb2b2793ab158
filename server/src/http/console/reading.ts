/**
 * What the console reads. A reading is declared once: its path, its query, its answer, and the function that both the
 * console and `florin` call. Lists are paged, sorted and exported here, so that no reading does it again.
 */
import { z } from 'zod';
import { invalid } from './consoleFault.ts';
import type { LoggedIn } from './consoleLogin.ts';
import { renderCsv } from './renderCsv.ts';
import type { Given, Row } from './row.ts';
import { cutRows } from './sortRows.ts';

/** The member of the answer that has the rows. */
export type ListOf =
  /** The reading itself takes `limit` and `after`, and its answer has `next`. */
  | { readonly kind: 'pages'; readonly rows: string }
  /** The reading returns all rows; they are sorted by one of these columns and cut here. */
  | { readonly kind: 'whole'; readonly sorts: readonly string[] }
  /** The same for the page, but there can be many rows, so the database sorts and cuts. */
  | { readonly kind: 'sorted'; readonly sorts: readonly string[] };

export interface Reading {
  /** `/api/payments/{id}` */
  readonly path: string;
  /** What it is for, and the command of `florin` that shows the same. */
  readonly about: string;
  readonly query: readonly string[];
  readonly list?: ListOf;
  /** Checked by the tests; the contract of the page. */
  readonly answer: z.ZodType;
  run(caller: LoggedIn, params: Given, query: Given): Promise<unknown>;
}

interface Answered {
  readonly contentType: string;
  readonly body: string;
  readonly headers: readonly string[];
}

const PAGE_LIMIT = 1_000;
const CSV_LIMIT = 10_000;
const SORTED = ['sort', 'limit', 'offset', 'format'] as const;
const LIST_QUERY = { pages: ['limit', 'after', 'format'], whole: SORTED, sorted: SORTED } as const;

export async function answerReading(
  reading: Reading,
  caller: LoggedIn,
  params: Given,
  search: URLSearchParams,
): Promise<Answered> {
  const query = parseQuery(reading, search);
  if (query.format === 'csv') return toCsv(await readAll(reading, caller, params, query), reading);
  const { list } = reading;
  const answer = await reading.run(caller, params, withoutFormat(query));
  return toJson(list?.kind === 'whole' ? cutRows(answer, query) : answer);
}

function parseQuery({ query: own, list }: Reading, search: URLSearchParams): Given {
  const known: readonly string[] = [...own, ...(list ? LIST_QUERY[list.kind] : [])];
  const given: Record<string, string> = {};
  for (const [name, value] of search) {
    if (!known.includes(name)) throw invalid(`There is no parameter ${name}.`, name);
    if (name in given) throw invalid(`The parameter ${name} is given twice.`, name);
    if (value.includes('\0')) throw invalid(`The parameter ${name} has a character that no text has.`, name);
    if (value !== '') given[name] = value;
  }
  const { format, limit } = given;
  if (format !== undefined && format !== 'csv') throw invalid('format must be csv.', 'format');
  const most = format === 'csv' ? CSV_LIMIT : PAGE_LIMIT;
  if (limit !== undefined && !(/^\d{1,5}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= most))
    throw invalid(`limit must be a number from 1 to ${most}.`, 'limit');
  if (list && list.kind !== 'pages') checkOrder(list.sorts, given);
  return given;
}

function checkOrder(sorts: readonly string[], { sort, offset = '0' }: Given): void {
  if (!/^\d{1,7}$/.test(offset)) throw invalid('offset must be a number.', 'offset');
  if (sort !== undefined && !sorts.includes(sort.replace(/^-/, '')))
    throw invalid(`sort must be one of ${sorts.join(', ')}, or one of them after a minus.`, 'sort');
}

const withoutFormat = ({ format: _, ...query }: Given): Given => query;

/** The rows of an export: all pages, up to the limit. */
async function readAll(reading: Reading, caller: LoggedIn, params: Given, query: Given): Promise<readonly Row[]> {
  const { list } = reading;
  if (!list) throw invalid('Only lists can be exported.', 'format');
  const limit = Number(query.limit ?? CSV_LIMIT);
  const asked = withoutFormat(query);
  if (list.kind !== 'pages') {
    const answer = await reading.run(caller, params, { ...asked, limit: String(limit) });
    return list.kind === 'whole'
      ? cutRows(answer, { ...asked, limit: String(limit) }).rows
      : (answer as { rows: Row[] }).rows;
  }
  const rows: Row[] = [];
  for (let after = asked.after; rows.length < limit; ) {
    const page = { ...asked, limit: String(Math.min(PAGE_LIMIT, limit - rows.length)), ...(after && { after }) };
    const answer = (await reading.run(caller, params, page)) as Readonly<Record<string, unknown>>;
    rows.push(...(answer[list.rows] as Row[]));
    if (answer.next === null) break;
    after = String(answer.next);
  }
  return rows;
}

const toJson = (answer: unknown): Answered => ({
  contentType: 'application/json',
  body: JSON.stringify(answer),
  headers: [],
});

function toCsv(rows: readonly Row[], { path }: Reading): Answered {
  const name = path.replace(/^\/api\//, '').replace(/\W+/g, '-');
  return {
    contentType: 'text/csv; charset=utf-8',
    body: renderCsv(rows),
    headers: ['Content-Disposition', `attachment; filename="${name.replace(/-$/, '')}.csv"`],
  };
}

/** The answer of a list that is sorted: `{ rows, total }`. */
export const rowsOf = (row: z.ZodType) => z.strictObject({ rows: z.array(row), total: z.number() });
