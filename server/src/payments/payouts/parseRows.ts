import { PayError } from '../../core/errors.ts';
import { formatUsdc, MAX_TOTAL, parseUsdc, type Usdc } from '../../core/money.ts';
import { MAX_NOTE, NOT_IN_NOTES } from '../../core/note.ts';
import { CsvFault, parseCsv } from './parseCsv.ts';

const COLUMNS = ['reference', 'to', 'amount', 'blockchain', 'note'] as const;
export type Column = (typeof COLUMNS)[number];

/** An error in a row; row 0 is the file as a whole. */
export interface RowError {
  readonly row: number;
  readonly column: Column | null;
  readonly code: string;
  /** For people. */
  readonly detail: string;
}

/** A row as written in the file, with well-formed cells. Names are not resolved yet. */
export interface WantedRow {
  /** Its position, from 1; a header does not count. */
  readonly row: number;
  readonly reference: string;
  readonly to: string;
  readonly amount: Usdc;
  readonly blockchain: string | undefined;
  readonly note: string | undefined;
}

export interface ParsedFile {
  readonly rows: readonly WantedRow[];
  readonly errors: readonly RowError[];
  /** The number of rows in the file, valid and invalid. */
  readonly count: number;
}

const MAX_ROWS = 10_000;

type Cells = Readonly<Partial<Record<Column, string>>>;

const aboutFile = (code: string, detail: string): ParsedFile => ({
  rows: [],
  errors: [{ row: 0, column: null, code, detail }],
  count: 0,
});

/** `reference,to,amount[,blockchain][,note]`, in any order, under a header with these names. */
export function parseCsvRows(bytes: Uint8Array): ParsedFile {
  let lines: string[][];
  try {
    lines = parseCsv(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (error instanceof CsvFault) return aboutFile(error.code, error.message);
    return aboutFile('file.text', 'The file is not UTF-8 text. In a spreadsheet save it as "CSV UTF-8".');
  }
  const [header, ...rest] = lines;
  if (!header) return aboutFile('file.empty', 'The file is empty.');
  const names = header.map((cell) => cell.trim().toLowerCase());
  const fault = findHeaderFault(names);
  if (fault) return aboutFile('file.header', fault);
  return parseAll(
    rest.map((cells) => ({
      cells: Object.fromEntries(names.map((name, i) => [name, cells[i]?.trim() ?? ''])),
      extra: cells.length > names.length,
    })),
  );
}

function findHeaderFault(names: readonly string[]): string | undefined {
  const strange = names.find((name) => !COLUMNS.some((column) => column === name));
  if (strange !== undefined)
    return `The first line names the columns reference,to,amount[,blockchain][,note], with commas; ${JSON.stringify(strange.slice(0, 60))} is not one of them.`;
  if (new Set(names).size < names.length) return 'The first line names a column twice.';
  const missing = ['reference', 'to', 'amount'].find((name) => !names.includes(name));
  return missing && `The first line does not name the column ${missing}.`;
}

/** `{"rows": [{"reference": …, "to": …, "amount": "12.5"}]}`: the same columns, with every value a string. */
export function parseJsonRows(body: unknown): ParsedFile {
  const rows = (body as { rows?: unknown } | null)?.rows;
  if (!Array.isArray(rows))
    return aboutFile('file.json', 'The body is a JSON object whose "rows" is a list of objects.');
  const strange = Object.keys(body as object).find((name) => name !== 'rows');
  if (strange !== undefined)
    return aboutFile(
      'file.json',
      `The body has no member but "rows"; ${JSON.stringify(strange.slice(0, 60))} is unknown.`,
    );
  const faults: RowError[] = [];
  const given = rows.slice(0, MAX_ROWS + 1).map((one: unknown, i) => {
    const entries = typeof one === 'object' && one !== null ? Object.entries(one) : [];
    const cells: Partial<Record<Column, string>> = {};
    for (const [name, value] of entries) {
      const column = COLUMNS.find((known) => known === name);
      if (!column)
        faults.push({
          row: i + 1,
          column: null,
          code: 'column.unknown',
          detail: `There is no column ${name.slice(0, 60)}.`,
        });
      else if (typeof value === 'string') cells[column] = value.trim();
      else if (value !== null)
        faults.push({
          row: i + 1,
          column,
          code: 'cell.text',
          detail: 'Every value is a text, also the amount: "12.5".',
        });
    }
    return { cells, extra: false };
  });
  const spoken = new Set(faults.map(({ row, column }) => `${row} ${column}`));
  const parsed = parseAll(given);
  // For a value that is not a string, other errors are not reported.
  const others = parsed.errors.filter(({ row, column }) => !spoken.has(`${row} ${column}`));
  const bad = new Set(faults.map(({ row }) => row));
  return {
    ...parsed,
    rows: parsed.rows.filter(({ row }) => !bad.has(row)),
    errors: [...faults, ...others].sort((a, b) => a.row - b.row),
  };
}

function parseAll(given: readonly { readonly cells: Cells; readonly extra: boolean }[]): ParsedFile {
  if (given.length === 0) return aboutFile('file.empty', 'The file has no rows.');
  if (given.length > MAX_ROWS)
    return aboutFile('file.too_many_rows', `A file has at most ${MAX_ROWS} rows; make several.`);
  const rows: WantedRow[] = [];
  const errors: RowError[] = [];
  const seen = new Map<string, number>();
  for (const [i, { cells, extra }] of given.entries()) {
    const row = i + 1;
    const found: RowError[] = [];
    const say = (column: Column | null, code: string, detail: string) => found.push({ row, column, code, detail });
    if (extra) say(null, 'row.cells', 'The row has more cells than the header; put text with commas into quotes.');
    const { reference = '', to = '', blockchain = '', note = '' } = cells;
    checkReference(reference, say);
    const first = seen.get(reference);
    if (first !== undefined) say('reference', 'reference.duplicate', `Row ${first} has the same reference.`);
    else if (reference !== '') seen.set(reference, row);
    if (to === '') say('to', 'to.missing', 'Whom to pay is missing: a username or an address.');
    const amount = parseAmount(cells.amount ?? '', say);
    if (note !== '') checkNote(note, say);
    if (found.length > 0) errors.push(...found);
    else
      rows.push({ row, reference, to, amount: amount!, blockchain: blockchain || undefined, note: note || undefined });
  }
  if (rows.reduce((sum, { amount }) => sum + amount, 0n) > MAX_TOTAL) errors.push(TOO_LARGE);
  return { rows, errors, count: given.length };
}

const TOO_LARGE: RowError = {
  row: 0,
  column: null,
  code: 'total.too_large',
  detail: `A file pays at most ${formatUsdc(MAX_TOTAL)} USDC in all; make several.`,
};

type Say = (column: Column, code: string, detail: string) => void;

function checkReference(reference: string, say: Say): void {
  if (reference === '')
    say('reference', 'reference.missing', 'The reference is missing: your own name of this payment.');
  else if (!/^[A-Za-z0-9][\x20-\x7e]{0,99}$/.test(reference))
    say(
      'reference',
      'reference.form',
      'A reference has at most 100 printable ASCII characters and begins with a letter or digit.',
    );
}

function parseAmount(text: string, say: Say): Usdc | undefined {
  if (!/^\d+(\.\d+)?$/.test(text)) {
    say('amount', 'amount.form', describeAmount(text));
    return undefined;
  }
  try {
    const amount = parseUsdc(text);
    if (amount > 0n) return amount;
    say('amount', 'amount.zero', 'The amount is zero.');
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    const isFine = error.code === 'amount.precision';
    say(
      'amount',
      error.code,
      isFine
        ? `USDC has six decimals at most. Write ${error.details.nearest} if that is what you mean.`
        : 'The amount is larger than any payment may be.',
    );
  }
  return undefined;
}

function describeAmount(text: string): string {
  const shown = JSON.stringify(text.slice(0, 40));
  if (text === '') return 'The amount is missing.';
  if (/^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i.test(text))
    return `${shown} is how a spreadsheet shows a long number: digits may be lost. Format the column as text, or as a number with six decimals.`;
  if (/^\d[\d.,'\s]*$/.test(text))
    return `Write ${shown} with digits and one decimal point, like 1250.50: no separators of thousands, no decimal comma.`;
  return `${shown} is no amount. Write it like 12.5: no sign, no currency.`;
}

/** A spreadsheet would run it as a formula when it opens our result file. */
const FORMULA = /^[=+\-@\t\r]/;

function checkNote(note: string, say: Say): void {
  if ([...note].length > MAX_NOTE) say('note', 'note.length', `A note has at most ${MAX_NOTE} characters.`);
  else if (FORMULA.test(note))
    say('note', 'note.formula', 'A note does not begin with =, +, - or @, which a spreadsheet takes for a formula.');
  else if (NOT_IN_NOTES.test(note))
    say('note', 'note.form', 'A note has no line ends, and no characters that control text or its direction.');
}
