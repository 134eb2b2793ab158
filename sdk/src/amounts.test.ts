import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatUsdc, MAX_AMOUNT, parseUsdc } from '../../server/src/core/money.ts';
import { fromMicros, toMicros } from './amounts.ts';
import { FlorinError } from './FlorinError.ts';
import { readJson, writeBody } from './json.ts';

const micros = fc.bigInt({ min: 1n, max: MAX_AMOUNT });

describe('amounts', () => {
  it('survive a round trip through millionths, in the format of the service', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 21n), max: 10n ** 21n }), (value) => {
        expect(toMicros(fromMicros(value))).toBe(value);
        expect(fromMicros(value)).toBe(formatUsdc(value));
      }),
    );
  });

  it('are sent with exactly these digits, however many zeros they have', () => {
    fc.assert(
      fc.property(micros, fc.nat(3), fc.nat(3), (value, before, after) => {
        const plain = fromMicros(value);
        const [whole, fraction = ''] = plain.split('.');
        const text = `${'0'.repeat(before)}${whole}.${(fraction + '0'.repeat(after)).slice(0, 6).padEnd(1, '0')}`;
        const body = writeBody({ receiver_username: 'bob', amount: text }, ['amount']);
        const source = /"amount":([^,}]+)/.exec(body)![1]!;
        expect(source).toBe(plain);
        // The value that the service reads from the digits.
        expect(parseUsdc(source)).toBe(value);
      }),
    );
  });

  it.each([['1e3'], ['1.0000001'], [''], ['1.'], ['.5'], [' 1'], ['+1'], ['0x10'], ['1,5'], ['NaN'], ['١']])(
    'written like "%s" are refused before anything is sent',
    (text) => expect(() => toMicros(text)).toThrow(FlorinError),
  );

  it.each([[1.5], [10n], [null], [undefined], [{}]])('that are not text (%s) are refused', (value) => {
    expect(() => toMicros(value as unknown as string)).toThrow(FlorinError);
  });
});

describe('JSON', () => {
  it('reads a number that no float can hold as its text, and everything else as usual', () => {
    const text = '{"a":9007199254740993,"b":0.1,"c":123456789012345678.000001,"d":"9007199254740993","e":[-1e400,1e3]}';
    expect(readJson(text)).toEqual({
      a: '9007199254740993',
      b: 0.1,
      c: '123456789012345678.000001',
      d: '9007199254740993',
      e: ['-1e400', 1000],
    });
  });

  it('is read as the platform reads it where nothing would be lost', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(readJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('never returns a value other than the digits', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(40), (digits, shift) => {
        const text = `${digits}${shift > 20 ? '' : `.${String(shift).padStart(2, '0')}1`}`;
        const { amount } = readJson(`{"amount":${text}}`) as { amount: string | number };
        // `toFixed` shows every digit that a float really has, as far as it goes.
        if (typeof amount === 'string') expect(amount).toBe(text);
        else if (shift > 20) expect(BigInt(amount)).toBe(digits);
        else expect(String(amount)).toBe(text.replace(/^-0(?=$)/, '0'));
      }),
    );
  });

  it('leaves out members that are not given', () => {
    expect(writeBody({ a: undefined, b: null, c: 'x"y' }, [])).toBe('{"b":null,"c":"x\\"y"}');
  });
});
