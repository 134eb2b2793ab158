/**
 * Parses paths and query strings as the reference's server does, with Python's `unquote`, `parse_qsl` and `quote`. An
 * invalid escape stays unchanged and invalid UTF-8 becomes U+FFFD; there are no errors.
 */
export function unquote(text: string): string {
  if (!text.includes('%')) return text;
  // Escapes are decoded together with the ASCII around them; a raw byte above 7F is kept.
  return text.replace(/[^\u0080-\uffff]+/g, (ascii) => {
    const bytes = Buffer.alloc(ascii.length);
    let length = 0;
    for (let i = 0; i < ascii.length; i++) {
      const byte = ascii.charCodeAt(i) === 0x25 ? parseHexPair(ascii, i + 1) : -1;
      bytes[length++] = byte === -1 ? ascii.charCodeAt(i) : byte;
      if (byte !== -1) i += 2;
    }
    return bytes.toString('utf8', 0, length);
  });
}

function parseHexPair(text: string, at: number): number {
  const pair = text.slice(at, at + 2);
  return /^[0-9a-fA-F]{2}$/.test(pair) ? Number.parseInt(pair, 16) : -1;
}

/** The last value of every name; a name without `=` has the empty value. */
export function parseQuery(query: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    const value = equals === -1 ? '' : pair.slice(equals + 1);
    values.set(unquote(name.replaceAll('+', ' ')), unquote(value.replaceAll('+', ' ')));
  }
  return values;
}

const SAFE = new Set(
  Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~:/%#?=@[]!$&'()*+,;"),
);

/** For `Location`: escapes everything outside Starlette's safe set, so that a path cannot add a header line. */
export function quote(text: string): string {
  let quoted = '';
  for (const byte of Buffer.from(text)) {
    quoted += SAFE.has(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return quoted;
}
