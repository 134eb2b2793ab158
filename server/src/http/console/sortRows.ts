import type { Given, Row } from './row.ts';

export const DEFAULT_LIMIT = 50;

/** Sorts a whole list by one column (`-name`: descending) and cuts a page out of it. */
export function cutRows(
  given: unknown,
  { sort, limit, offset = '0' }: Given,
): { rows: readonly Row[]; total: number } & Row {
  const { rows: read, ...more } = toList(given);
  const rows = JSON.parse(JSON.stringify(read)) as Row[];
  const column = sort?.replace(/^-/, '');
  const sorted =
    column === undefined
      ? rows
      : rows.toSorted((one, other) => compare(one[column], other[column], sort!.startsWith('-')));
  const from = Number(offset);
  return { ...more, rows: sorted.slice(from, from + Number(limit ?? DEFAULT_LIMIT)), total: rows.length };
}

const toList = (given: unknown): { readonly rows: readonly Row[] } & Row =>
  Array.isArray(given) ? { rows: given as Row[] } : (given as { rows: Row[] });

/** Rows without a value come last in both directions. */
function compare(one: unknown, other: unknown, isDescending: boolean): number {
  if (one == null || other == null) return Number(one == null) - Number(other == null);
  const order = compareTexts(String(one), String(other));
  return isDescending ? -order : order;
}

const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/** Amounts are decimal text; they are compared digit by digit, so no precision is lost. */
function compareTexts(one: string, other: string): number {
  const [a, b] = [DECIMAL.exec(one), DECIMAL.exec(other)];
  if (!a || !b) return one < other ? -1 : Number(one > other);
  const [whole, fraction] = [Math.max(a[1]!.length, b[1]!.length), Math.max(a[2]?.length ?? 0, b[2]?.length ?? 0)];
  const pad = (found: RegExpExecArray) => found[1]!.padStart(whole, '0') + (found[2] ?? '').padEnd(fraction, '0');
  return pad(a) < pad(b) ? -1 : Number(pad(a) > pad(b));
}
