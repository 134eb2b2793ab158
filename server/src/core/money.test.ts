import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatUsdc, MAX_AMOUNT, parseUsdc } from './money.ts';

const code = (source: string) => {
  try {
    return parseUsdc(source);
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('parseUsdc', () => {
  it.each([
    ['1', 1_000_000n],
    ['0.000001', 1n],
    ['1e-6', 1n],
    ['1.0000000', 1_000_000n],
    ['12.50', 12_500_000n],
    ['1E+3', 1_000_000_000n],
    ['0e999999999999999999999', 0n],
    ['-2.5', -2_500_000n],
    ['999999999.999999', MAX_AMOUNT],
    ['0.1000000000000000055511151231257827', 'amount.precision'],
    ['0.0000001', 'amount.precision'],
    ['1e-400', 'amount.precision'],
    ['1000000000', 'amount.too_large'],
    ['1e400', 'amount.too_large'],
    [`1e${'9'.repeat(200_000)}`, 'amount.too_large'],
    [`1e-${'9'.repeat(200_000)}`, 'amount.precision'],
    [`0.${'0'.repeat(200_000)}1`, 'amount.precision'],
    [`1.${'0'.repeat(200_000)}`, 1_000_000n],
    [`1${'0'.repeat(200_000)}e-200000`, 1_000_000n],
    ['1e-0000000000000000000006', 1n],
  ])('%.40s', (source, expected) => expect(code(source)).toBe(expected));

  it.each([
    ['0.30000000000000004', '0.3'],
    ['0.7999999999999999', '0.8'],
    ['1.2345675', '1.234568'],
    ['1.2345674999', '1.234567'],
    ['0.0000001', '0.000001'],
    ['0.0000009', '0.000001'],
    ['1e-400', '0.000001'],
    [`1e-${'9'.repeat(20)}`, '0.000001'],
    ['-0.30000000000000004', '-0.3'],
    ['999999999.9999999', '999999999.999999'],
    [`${'1'.repeat(200_000)}.1111111`, '999999999.999999'],
  ])('refuses %.40s and names %s instead, which it accepts', (source, nearest) => {
    expect(() => parseUsdc(source)).toThrow(expect.objectContaining({ details: { decimals: 6, nearest } }));
    expect(formatUsdc(parseUsdc(nearest))).toBe(nearest);
  });

  it('reads back every amount it can print', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_AMOUNT }), (amount) => {
        expect(parseUsdc(formatUsdc(amount))).toBe(amount);
      }),
    );
  });

  it('does not depend on how the same value is spelled', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: MAX_AMOUNT }), fc.nat(20), (amount, zeros) => {
        const padded = `${amount}${'0'.repeat(zeros)}e-${6 + zeros}`;
        expect(parseUsdc(padded)).toBe(amount);
      }),
    );
  });

  it('is not a float: 0.1 + 0.2 is 0.3', () => {
    expect(formatUsdc(parseUsdc('0.1') + parseUsdc('0.2'))).toBe('0.3');
  });
});
