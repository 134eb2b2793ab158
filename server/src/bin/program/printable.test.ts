import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { printable } from './printable.ts';

it.each([
  ['a colour', '\u001b[31mred', '\\u001b[31mred'],
  ['a title, ended by a bell', '\u001b]0;x\u0007', '\\u001b]0;x\\u0007'],
  ['the same as one C1 character', '\u009b31m', '\\u009b31m'],
  ['a return over the line', 'paid\rheld', 'paid\\u000dheld'],
  ['a rubout', 'ab\u007f\u0008', 'ab\\u007f\\u0008'],
  ['text from right to left', 'a\u202egpj.b\u2066c\u200f', 'a\\u202egpj.b\\u2066c\\u200f'],
  ['invisible letters', 'a\u200bda\ufeff', 'a\\u200bda\\ufeff'],
  ['an invisible letter beyond 16 bits', 'a\u{e0041}', 'a\\udb40\\udc41'],
  ['a line that other programs see', 'a\u2028b', 'a\\u2028b'],
])('escapes %s', (_, text, expected) => {
  expect(printable(text)).toBe(expected);
});

it('keeps letters of all languages, and line ends', () => {
  const text = 'Zoë, Søren, 王小明, مريم, 🙂 — 10 €\nnext line\n';
  expect(printable(text)).toBe(text);
});

it('does not change the values of a JSON document', () => {
  const value = { agent: 'x\u001b[2J\u009b\u202e\u{e0041}\\', name: 'Zoë\nB' };
  expect(JSON.parse(printable(JSON.stringify(value, null, 2)))).toEqual(value);
});

it('is the only way to the terminal for commands', () => {
  const program = fileURLToPath(new URL('.', import.meta.url));
  const folders = [program, join(program, '../cli'), join(program, '../cli/verbs')];
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.ts') && !file.includes('.test.') && file !== 'printable.ts')
      .map((file) => join(folder, file)),
  );
  const direct = files.filter((file) =>
    /\bconsole\.(?:log|error|warn)\(|(?:stdout|stderr)\.write\(/.test(readFileSync(file, 'utf8')),
  );
  expect(direct).toEqual([]);
});
