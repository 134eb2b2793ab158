import type { Call } from './call.ts';
import { getId, invalid, Refusal } from './refusal.ts';

const PAGE_SIZE = 10;
const MAX_PAGE_SIZE = 50;

interface Listed {
  readonly id: string;
  readonly createDate: string;
}

/**
 * One page of rows, which are given in order of creation. The newest come first by default; `pageAfter` and
 * `pageBefore` are ids, which are not included themselves.
 */
export function listPage<Row extends Listed>(rows: readonly Row[], { query }: Call): Row[] {
  const [from, to] = [readDate(query, 'from'), readDate(query, 'to')];
  const order = query.get('order') ?? 'DESC';
  if (order !== 'ASC' && order !== 'DESC') throw invalid('order', 'must be ASC or DESC', order);
  const wanted = rows
    .filter(({ createDate }) => {
      const at = Date.parse(createDate);
      return (from === undefined || at >= from) && (to === undefined || at <= to);
    })
    .toSorted((one, other) => (one.createDate < other.createDate ? -1 : Number(one.createDate > other.createDate)));
  const sorted = order === 'DESC' ? wanted.toReversed() : wanted;
  const [after, before] = [query.get('pageAfter'), query.get('pageBefore')];
  if (after && before) throw invalid('pageAfter', 'cannot be used together with pageBefore');
  const size = readSize(query);
  if (after) {
    const start = findCursor(sorted, after, 156014) + 1;
    return sorted.slice(start, start + size);
  }
  if (before) {
    const end = findCursor(sorted, before, 156012);
    return sorted.slice(Math.max(0, end - size), end);
  }
  return sorted.slice(0, size);
}

function findCursor(rows: readonly Listed[], cursor: string, code: number): number {
  const at = rows.findIndex(({ id }) => id === getId(cursor));
  if (at < 0) throw new Refusal(400, code, `there is no page at ${cursor}`);
  return at;
}

function readSize(query: URLSearchParams): number {
  const text = query.get('pageSize');
  if (text === null) return PAGE_SIZE;
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (size < 1 || size > MAX_PAGE_SIZE) throw invalid('pageSize', `must be from 1 to ${MAX_PAGE_SIZE}`, text);
  return size;
}

function readDate(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw invalid(name, 'must be a date', text);
  return at;
}
