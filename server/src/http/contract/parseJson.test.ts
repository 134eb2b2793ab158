import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findText } from './decodeText.ts';
import { JsonNumber, type JsonValue, renderJson } from './json.ts';
import { JsonFault, parseJson } from './parseJson.ts';

/** The reason and position of a refusal, or the value as JSON text. */
function outcome(text: string): string {
  try {
    return renderJson(parseJson(text));
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    return `${fault.reason} @${fault.position}`;
  }
}

/** The result of `JSON.parse` for the same text. */
function rounded(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.source);
  if (Array.isArray(value)) return value.map(rounded);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, rounded(member)]));
}

describe('parseJson', () => {
  // Right-hand sides printed by CPython 3.11's json module.
  test.each([
    ['', 'Expecting value @0'],
    ['  ', 'Expecting value @2'],
    ['[1,', 'Expecting value @3'],
    ['[1,]', 'Expecting value @3'],
    ['{"a":1,}', 'Expecting property name enclosed in double quotes @7'],
    ['{"a"}', "Expecting ':' delimiter @4"],
    ['{"a":1 "b"', "Expecting ',' delimiter @7"],
    ['[1 2]', "Expecting ',' delimiter @3"],
    ['{"a":01}', "Expecting ',' delimiter @6"],
    ['1.', 'Extra data @1'],
    ['1e', 'Extra data @1'],
    ['1e+', 'Extra data @1'],
    ['-', 'Expecting value @0'],
    ['[-x]', 'Expecting value @1'],
    ['-Infinit', 'Expecting value @0'],
    ['"abc', 'Unterminated string starting at @0'],
    ['"a\\', 'Unterminated string starting at @0'],
    ['"a\\"', 'Unterminated string starting at @0'],
    ['"\\x"', 'Invalid \\escape @1'],
    ['"\\u12', 'Invalid \\uXXXX escape @2'],
    ['"\\u1234', 'Invalid \\uXXXX escape @2'],
    ['"\\u12x4"', 'Invalid \\uXXXX escape @2'],
    ['"\\ud83d\\u12"', 'Invalid \\uXXXX escape @8'],
    ['"a\nb"', 'Invalid control character at @2'],
    ['{}{}', 'Extra data @2'],
    ['\u00a0{}', 'Expecting value @0'],
    ['["💸","é",]', 'Expecting value @9'],
  ])('refuses %j as Python does', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });

  test('keeps the source text of numbers', () => {
    const value = parseJson('[0.1000000000000000055, 12345678901234567890, 1E-400, -0]') as JsonNumber[];
    expect(value.map((number) => number.source)).toEqual([
      '0.1000000000000000055',
      '12345678901234567890',
      '1E-400',
      '-0',
    ]);
  });

  test('reads NaN and the infinities like Python, and never writes them', () => {
    const value = parseJson('[NaN, Infinity, -Infinity, 1e999]') as JsonNumber[];
    expect(value.map((number) => number.isFinite)).toEqual([false, false, false, true]);
    expect(renderJson(value)).toBe('[null,null,null,1e999]');
  });

  test('uses the last of two equal keys, and hides keys that FastAPI hides', () => {
    expect(outcome('{"a":1,"a":[2],"_sa":3,"n":{"_sax":4,"_s":5}}')).toBe('{"a":[2],"n":{"_s":5}}');
  });

  test('treats __proto__ as a key like any other', () => {
    const value = parseJson('{"__proto__":{"polluted":true},"constructor":1}') as Record<string, JsonValue>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect((value as { polluted?: unknown }).polluted).toBeUndefined();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('reads 961 levels and refuses the next, however many follow', () => {
    expect(outcome('['.repeat(961) + ']'.repeat(961))).toBe('['.repeat(961) + ']'.repeat(961));
    expect(outcome('['.repeat(962) + ']'.repeat(962))).toBe('undefined @0');
    expect(outcome('{"a":'.repeat(100_000))).toBe('undefined @0');
  });

  test('reads integers of 4300 digits and refuses longer ones, as Python does; decimals may be longer', () => {
    const digits = '1'.repeat(4300);
    expect(outcome(`-${digits}`)).toBe(`-${digits}`);
    expect(outcome(`{"a":${digits}1}`)).toBe('undefined @0');
    expect(outcome(`${digits}1.0`)).toBe(`${digits}1.0`);
  });

  test('reads every JSON text like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 1, '\t'), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(rounded(parseJson(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test('refuses what JSON.parse refuses, except NaN and the infinities', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      'a',
      '1',
      '-',
      '.',
      'e',
      ' ',
      'null',
      '"k"',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const text = tokens.join('');
        let accepted = true;
        try {
          JSON.parse(text);
        } catch {
          accepted = false;
        }
        expect(/ @\d+$/.test(outcome(text))).toBe(!accepted);
      }),
      { numRuns: 3000 },
    );
  });

  test('throws nothing but a JsonFault, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = findText(Buffer.from(bytes));
        if (text !== undefined) outcome(text);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('findText', () => {
  const text = '{"é":"💸"}';
  const big = (bytes: Buffer) => Buffer.from(bytes).swap16();
  const wide = Buffer.concat([...text].map((c) => Buffer.from(Uint32Array.of(c.codePointAt(0)!).buffer)));

  test.each([
    ['utf-8', Buffer.from(text)],
    ['utf-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['utf-16 little', Buffer.from(text, 'utf16le')],
    ['utf-16 little-endian with a byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16 big', big(Buffer.from(text, 'utf16le'))],
    ['utf-16 big-endian with a byte order mark', big(Buffer.from(`\ufeff${text}`, 'utf16le'))],
    ['utf-32 little', wide],
    ['utf-32 big', Buffer.from(wide).swap32()],
  ])('reads %s', (_, bytes) => {
    expect(findText(bytes)).toBe(text);
  });

  test.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['only FF', [0xff]],
    ['half a utf-16 unit', [0x7b, 0x00, 0x7d, 0x00, 0x20]],
    ['utf-32 beyond Unicode', [0x00, 0x00, 0xfe, 0xff, 0x7f, 0x00, 0x00, 0x00]],
  ])('returns undefined for %s', (_, bytes) => {
    expect(findText(Buffer.from(bytes))).toBeUndefined();
  });

  test('lets encoded surrogates pass, as Python does', () => {
    expect(findText(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBe('"\ud800"');
  });
});
