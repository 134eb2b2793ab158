/** An error of the file as a whole, with a description for people. */
export class CsvFault extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The cells of a CSV file as defined by RFC 4180: commas, quotes with doubled quotes inside, lines that end in CRLF, LF
 * or CR, with or without the byte order mark that Excel writes. Empty lines are skipped.
 */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [];
  let cells: string[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  const endLine = () => {
    if (cells.some((cell) => cell.trim() !== '')) lines.push(cells);
    cells = [];
  };
  while (at < text.length) {
    let cell: string;
    if (text[at] === '"') [cell, at] = readQuoted(text, at);
    else {
      const end = findEnd(text, at);
      cell = text.slice(at, end);
      at = end;
      if (cell.includes('"')) throw new CsvFault('file.quotes', `A quote stands inside ${JSON.stringify(cell)}.`);
    }
    cells.push(cell);
    const next = text[at];
    if (next === ',') {
      at++;
      // The last cell of the file is empty.
      if (at === text.length) cells.push('');
    } else if (next === '\r' || next === '\n') {
      at += next === '\r' && text[at + 1] === '\n' ? 2 : 1;
      endLine();
    } else if (next !== undefined) {
      throw new CsvFault('file.quotes', `Text follows the quotes around ${JSON.stringify(cell.slice(0, 40))}.`);
    }
  }
  endLine();
  return lines;
}

function findEnd(text: string, from: number): number {
  for (let at = from; ; at++) {
    const one = text[at];
    if (one === undefined || one === ',' || one === '\r' || one === '\n') return at;
  }
}

function readQuoted(text: string, from: number): [cell: string, at: number] {
  let cell = '';
  for (let at = from + 1; ; ) {
    const end = text.indexOf('"', at);
    if (end < 0) throw new CsvFault('file.quotes', 'A quote is opened and never closed.');
    cell += text.slice(at, end);
    if (text[end + 1] !== '"') return [cell, end + 1];
    cell += '"';
    at = end + 2;
  }
}

/**
 * Prints a cell of a result file. Values that a spreadsheet would run as formulas were refused when the file was
 * checked.
 */
export const printCell = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
