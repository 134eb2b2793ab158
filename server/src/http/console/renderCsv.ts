import type { Row } from './row.ts';

/**
 * RFC 4180, with the columns of all rows. Spreadsheets run a cell that begins with one of these characters as a
 * formula, and people choose their names and notes, so such a cell gets an apostrophe in front.
 */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

export function renderCsv(given: readonly Row[]): string {
  const rows = JSON.parse(JSON.stringify(given)) as Row[];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => renderCell(row[column])))];
  return `${lines.map((cells) => cells.map(quote).join(',')).join('\r\n')}\r\n`;
}

function renderCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

const quote = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
