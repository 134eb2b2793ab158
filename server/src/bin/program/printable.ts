/** Control, formatting and line separator characters: they move the cursor, reorder a line, or are invisible. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes what could change a terminal or hide text: much of what we print was written by strangers (names of programs,
 * answers of webhooks). `\u001b` is also JSON's escape, so the value of a JSON document stays the same. Line ends stay.
 */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (found) => (found === '\n' ? found : found.split('').map(escapeUnit).join('')));

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Commands print only through these functions. Results go to stdout, everything about the work to stderr. */
export const print = (text: string): void => void process.stdout.write(printable(text));
export const printAside = (text: string): void => void process.stderr.write(printable(text));

/** Replaces the current line of the terminal. */
export const redraw = (line: string, end: '' | '\n' = ''): void =>
  void process.stderr.write(`\r${printable(line)}\u001b[K${end}`);
