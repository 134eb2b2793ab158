/**
 * RFC 4180 and nothing else: lines end in CRLF, the last one too; a cell with a quote, a comma or a line end is quoted;
 * every line has as many cells as the header. Independent of the server's own parser, to check what the server writes.
 */
export function parseStrictCsv(text: string): Record<string, string>[] {
  const lines: string[][] = [[]];
  let rest = text;
  while (rest !== '') {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest);
    if (!match) throw new Error(`no cell begins at ${JSON.stringify(rest.slice(0, 60))}`);
    const [whole, quoted, plain = '', end] = match;
    lines.at(-1)!.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') lines.push([]);
    rest = rest.slice(whole.length);
  }
  if (lines.pop()!.length > 0) throw new Error('the last line does not end');
  const [header = [], ...rows] = lines;
  return rows.map((cells, i) => {
    if (cells.length !== header.length) throw new Error(`row ${i + 1} has ${cells.length} cells, not ${header.length}`);
    return Object.fromEntries(header.map((name, at) => [name, cells[at]!]));
  });
}
