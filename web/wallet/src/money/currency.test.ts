import { fromMicros, toMicros } from '@florin/client';
import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';

vi.hoisted(() => vi.stubGlobal('localStorage', { getItem: () => null }));
afterAll(() => void vi.unstubAllGlobals());
const { findPrice, listPrices, toCents, toUsdc, writeCents } = await import('./currency.ts');
const { parsePasted } = await import('./amounts.ts');

const rate = (pair: string, price: string, stale = false) => ({ pair, price, stale, as_of: '2026-01-01T00:00:00Z' });
const priceOf = (price: string) => findPrice([rate('USDC/USD', price)] as never)!;

it('knows the price in dollars, and in currencies with a price in dollars', () => {
  const rates = [rate('ETH/USD', '3000'), rate('EUR/USD', '1.25'), rate('USDC/USD', '1'), rate('BTC/EUR', '9')];
  expect(listPrices(rates as never).map((one) => [one.currency, one.scaled])).toEqual([
    ['USD', 100_000_000n],
    ['EUR', 80_000_000n],
  ]);
  expect(listPrices([rate('EUR/USD', '1.25')] as never)).toEqual([]);
  // A price that depends on a stale one is stale.
  const stale = [rate('USDC/USD', '1', true), rate('EUR/USD', '1.25')];
  expect(listPrices(stale as never).map(({ isStale }) => isStale)).toEqual([true, true]);
  expect(listPrices([rate('USDC/USD', '1'), rate('EUR/USD', '0')] as never)).toHaveLength(1);
});

it.each([
  ['12.34', '1', '12.34'],
  ['12.', '1', '12'],
  ['1', '0.9997', '1'],
  ['1', '2', '0.5'],
  ['0.01', '0.5', '0.02'],
  ['0', '1', undefined],
  ['0.01', '3', undefined],
  ['1.234', '1', undefined],
  ['', '1', undefined],
  ['999999999', '0.5', undefined],
  ['1', '0', undefined],
])('%s at a price of %s is %s USDC', (typed, price, usdc) => expect(toUsdc(typed, priceOf(price))).toBe(usdc));

it('what is typed in a currency is worth it, to a cent', () => {
  const prices = fc.integer({ min: 50_000_000, max: 200_000_000 }).map((n) => priceOf(fromMicros(BigInt(n) / 100n)));
  fc.assert(
    fc.property(prices, fc.bigInt(1n, 10n ** 9n), (price, cents) => {
      const usdc = toUsdc(writeCents(cents), price);
      if (usdc === undefined) return;
      expect(toMicros(usdc) % 10_000n).toBe(0n);
      const off = toCents(usdc, price) - cents;
      expect(off >= -2n && off <= 2n).toBe(true);
    }),
  );
});

it.each([
  ['12.5', '12.5'],
  [' 1,234.50 USDC\n', '1234.50'],
  ['1.234,50 €', '1234.50'],
  ['$0.10', '0.10'],
  ['12,5', '12.5'],
  ["1'234.5", '1234.5'],
  ['1,234', '1234'],
  ['0,123', '0.123'],
  ['1,234,567', '1234567'],
  ['1.234', '1.234'],
  ['007', '7'],
  ['0', undefined],
  ['-5', undefined],
  ['12 apples', undefined],
  ['0x8ba1f109551bD432803012645Ac136ddd64DBA72', undefined],
  ['1.2345678', undefined],
  ['9999999999', undefined],
  ['', undefined],
])('pasted, %j is %s', (text, typed) => expect(parsePasted(text)).toBe(typed));
