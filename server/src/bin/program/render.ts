/** Renders the output of commands for a terminal of a hundred columns. */
import { formatUsdc } from '../../core/money.ts';

export const COLUMNS = 100;
const GAP = '  ';
/** The last column of a table can be wrapped, but not narrower than this. */
const NARROWEST = 24;

export const renderUsdc = (amount: bigint): string => `${formatUsdc(amount)} USDC`;

/** `1 row`, `2 rows`. */
export const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

export const shorten = (address: string): string => `${address.slice(0, 8)}…${address.slice(-4)}`;

/** To the second, in UTC. */
export const renderTime = (at: Date | null | undefined): string =>
  at ? `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC` : 'never';

/**
 * The first row is the heading. A table that is too wide has its last column wrapped; if that is not enough, every row
 * is shown as its own paragraph.
 */
export function renderTable(table: readonly (readonly string[])[]): string {
  // A line end within a cell could look like another row.
  const rows = table.map((row) => row.map((cell) => cell.replaceAll('\n', ' ')));
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column]!))));
  const last = widths.length - 1;
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
  const lastWidth = COLUMNS - before;
  const longest = Math.max(...rows.flatMap((row) => row[last]!.split(' ').map(widthOf)));
  if (widths[last]! > lastWidth && lastWidth < Math.max(NARROWEST, longest)) return renderParagraphs(rows);
  const isNumeric = widths.map((_, column) => rows.slice(1).every((row) => NUMBER.test(row[column]!)));
  const lines = rows.flatMap((row) => {
    const start = row
      .slice(0, last)
      .map((cell, i) => (isNumeric[i] ? padStart(cell, widths[i]!) : pad(cell, widths[i]!)) + GAP)
      .join('');
    return wrap(row[last]!, lastWidth).map((line, i) => (i === 0 ? start : ' '.repeat(before)) + line);
  });
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function renderParagraphs([heading = [], ...rows]: readonly (readonly string[])[]): string {
  return rows.map((row) => renderFields(heading.map((name, i) => [name, row[i]!]))).join('\n');
}

/** Names and values, one per line. Entries without a value are left out. */
export function renderFields(
  fields: readonly (readonly [name: string, value: string | undefined])[],
  columns = COLUMNS,
): string {
  const shown = fields.filter((field): field is readonly [string, string] => Boolean(field[1]));
  const width = Math.max(0, ...shown.map(([name]) => widthOf(name)));
  const valueWidth = columns - width - GAP.length;
  const lines = shown.flatMap(([name, value]) =>
    value
      .split('\n')
      .flatMap((part) => wrap(part, valueWidth))
      .map((line, i) => pad(i === 0 ? name : '', width) + GAP + line),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** A text of several lines, each at most as wide as a terminal. */
export const wrapLines = (text: string): string =>
  text
    .split('\n')
    .flatMap((line) => wrap(line))
    .join('\n');

/** Breaks at spaces. A word that is longer than the line stays whole, so that ids and commands can be copied. */
export function wrap(text: string, columns = COLUMNS): string[] {
  const indent = /^ */.exec(text)![0];
  const lines: string[] = [];
  let line = indent;
  for (const word of text.trimStart().split(' ')) {
    const longer = line === indent ? indent + word : `${line} ${word}`;
    if (line !== indent && widthOf(longer) > columns) {
      lines.push(line);
      line = indent + word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Columns with these values are right-aligned. */
const NUMBER = /^-?\d+(\.\d+)?( USDC)?$|^none$/;

const widthOf = (text: string): number => [...text].length;
const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text))) + text;
