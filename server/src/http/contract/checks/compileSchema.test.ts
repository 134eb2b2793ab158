import { describe, expect, it, test } from 'vitest';
import { JsonNumber, type JsonValue } from '../json.ts';
import type { Schema } from '../openapi.ts';
import { compileSchema } from './compileSchema.ts';

/** The accepted value, or the type, message and ctx of the refusal. */
function outcome(schema: Schema, value: JsonValue, source: 'json' | 'text' = 'text'): unknown {
  const items: string[] = [];
  const accepted = compileSchema(schema, { shape: 'full', loc: ['query', 'x'], source })(value, items);
  if (items.length === 0) return accepted;
  const [{ type, msg, ctx, loc, input }] = items.map((item) => JSON.parse(item)) as [Record<string, unknown>];
  expect([loc, input]).toEqual([['query', 'x'], value instanceof JsonNumber ? Number(value.source) : value]);
  return ctx === undefined ? [type, msg] : [type, msg, ctx];
}

const UNPARSABLE = ['int_parsing', 'Input should be a valid integer, unable to parse string as an integer'];
const TOO_SMALL = ['greater_than_equal', 'Input should be greater than or equal to 1', { ge: 1 }];
const TOO_LARGE = ['less_than_equal', 'Input should be less than or equal to 200', { le: 200 }];

// All expectations printed by Pydantic 2.13.
test.each([
  ['5', '5'],
  [' 5\n', '5'],
  ['\u00a05\u2003', '5'],
  ['+5', '5'],
  ['00005', '5'],
  ['5_0', '50'],
  ['5_0.0', '50'],
  ['1.00', '1'],
  ['0', TOO_SMALL],
  ['-5', TOO_SMALL],
  ['-0', TOO_SMALL],
  ['201', TOO_LARGE],
  ['1_000.0', TOO_LARGE],
  ['9'.repeat(30), TOO_LARGE],
  ['1.5', UNPARSABLE],
  ['1.', UNPARSABLE],
  ['5__0', UNPARSABLE],
  ['_5', UNPARSABLE],
  ['5_', UNPARSABLE],
  ['', UNPARSABLE],
  ['1e2', UNPARSABLE],
  ['٣', UNPARSABLE],
  ['0x5', UNPARSABLE],
  ['- 5', UNPARSABLE],
  ['5\ufeff', UNPARSABLE],
  ['9'.repeat(4301), ['int_parsing_size', 'Unable to parse input string as an integer, exceeded maximum size']],
])('an integer of 1 to 200: %j', (text, expected) => {
  expect(outcome({ type: 'integer', minimum: 1, maximum: 200 }, text)).toEqual(expected);
});

// Stricter than Pydantic.
const NO_BOOLEAN = ['bool_type', 'Input should be a valid boolean'];
test.each([
  [true, true],
  [false, false],
  ['true', NO_BOOLEAN],
  ['', NO_BOOLEAN],
  [null, NO_BOOLEAN],
  [[true], NO_BOOLEAN],
])('a boolean: %j', (value, expected) => {
  expect(outcome({ type: 'boolean' }, value, 'json')).toEqual(expected);
});

test.each([
  ['user', 'user'],
  [
    ' user',
    ['literal_error', "Input should be 'user', 'chain' or 'deposit'", { expected: "'user', 'chain' or 'deposit'" }],
  ],
])('one of three words: %j', (text, expected) => {
  expect(outcome({ type: 'string', enum: ['user', 'chain', 'deposit'] }, text)).toEqual(expected);
});

test.each([
  ['💸💸💸💸💸', '💸💸💸💸💸'],
  ['💸', ['string_too_short', 'String should have at least 2 characters', { min_length: 2 }]],
  ['abcdef', ['string_too_long', 'String should have at most 5 characters', { max_length: 5 }]],
  [true, ['string_type', 'Input should be a valid string']],
])('a string of 2 to 5 characters: %j', (value, expected) => {
  expect(outcome({ type: 'string', minLength: 2, maxLength: 5 }, value)).toEqual(expected);
});

test('a length of one is not plural, and comes before the pattern', () => {
  const schema: Schema = { type: 'string', maxLength: 1, pattern: '^a$' };
  expect(outcome(schema, 'bb')).toEqual([
    'string_too_long',
    'String should have at most 1 character',
    { max_length: 1 },
  ]);
  expect(outcome(schema, 'b')).toEqual([
    'string_pattern_mismatch',
    "String should match pattern '^a$'",
    { pattern: '^a$' },
  ]);
});

const NOT_NUMBER = ['float_type', 'Input should be a valid number'];
const NOT_POSITIVE = ['greater_than', 'Input should be greater than 0', { gt: 0 }];

test.each([
  ['1', NOT_NUMBER],
  [true, NOT_NUMBER],
  [null, NOT_NUMBER],
  [new JsonNumber('0'), NOT_POSITIVE],
  [new JsonNumber('-0.0'), NOT_POSITIVE],
  [new JsonNumber('1e-400'), NOT_POSITIVE],
  [new JsonNumber('-1e5'), NOT_POSITIVE],
  [new JsonNumber('1e400'), new JsonNumber('1e400')],
  [new JsonNumber('0.10000000000000000001'), new JsonNumber('0.10000000000000000001')],
])('an amount is strict and stays exact: %j', (value, expected) => {
  expect(outcome({ type: 'number', exclusiveMinimum: 0 }, value, 'json')).toEqual(expected);
});

test.each(['NaN', '-Infinity', 'Infinity'])('%s is refused, and the answer is JSON', (source) => {
  const items: string[] = [];
  const schema: Schema = { type: 'number', exclusiveMinimum: 0 };
  compileSchema(schema, { shape: 'full', loc: ['body'], source: 'json' })(new JsonNumber(source), items);
  expect(JSON.parse(items[0]!)).toMatchObject({ input: null });
});

test.each([
  ['2026-03-01T00:00:00Z', true],
  ['2026-03-01T00:00:00.123+02:00', true],
  ['2024-02-29T23:59:59Z', true],
  ['2026-02-29T00:00:00Z', false],
  ['2026-13-01T00:00:00Z', false],
  ['2026-03-01T25:00:00Z', false],
  ['2026-03-01', false],
  ['2026-03-01T00:00:00', false],
  ['1767225600', false],
])('a time of RFC 3339: %j', (text, accepted) => {
  const got = outcome({ type: 'string', format: 'date-time' }, text);
  expect(got).toEqual(accepted ? text : expect.arrayContaining(['datetime_parsing']));
});

test('null passes where it is documented, and only there', () => {
  expect(outcome({ anyOf: [{ type: 'string' }, { type: 'null' }] }, null)).toBeNull();
  expect(outcome({ type: 'string' }, null)).toEqual(['string_type', 'Input should be a valid string']);
});

test('a keyword that is not supported is an error at start', () => {
  const context = { shape: 'full', loc: ['body', 'x'], source: 'json' } as const;
  expect(() => compileSchema({ type: 'string', const: 'a' }, context)).toThrow("cannot check 'const' at body.x");
  expect(() => compileSchema({ type: 'array', items: {} }, context)).toThrow('maxItems, at body.x');
  expect(() => compileSchema({ type: 'object' }, context)).toThrow("cannot check type 'object' at body.x");
  expect(() => compileSchema({ anyOf: [{ type: 'string' }, { type: 'number' }] }, context)).toThrow('anyOf');
});

describe('a list', () => {
  const schema: Schema = { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', maxLength: 3 } };
  const check = (value: JsonValue) => {
    const items: string[] = [];
    const accepted = compileSchema(schema, { shape: 'full', loc: ['body', 'x'], source: 'json' })(value, items);
    return items.length === 0 ? accepted : items.map((item) => JSON.parse(item) as unknown);
  };

  it('of good items is accepted', () => expect(check(['a', 'b'])).toEqual(['a', 'b']));

  it.each<[JsonValue, Record<string, unknown>]>([
    ['a', { type: 'list_type', msg: 'Input should be a valid list' }],
    [[], { type: 'too_short', msg: 'List should have at least 1 item after validation, not 0' }],
    [['a', 'b', 'c'], { type: 'too_long', msg: 'List should have at most 2 items after validation, not 3' }],
    [['a', true], { type: 'string_type', loc: ['body', 'x', 1] }],
    [['long', 'b'], { type: 'string_too_long', loc: ['body', 'x', 0] }],
  ])('%j is refused', (value, said) => expect(check(value)).toMatchObject([said]));
});
