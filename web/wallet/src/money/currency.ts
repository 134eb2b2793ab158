/** What USDC is worth in the currency that a person thinks in. Only shown and typed: every payment is in USDC. */
import type { BackendTypes } from '@florin/client';
import { fromMicros, toMicros } from '@florin/client';
import { createStore } from '../store.ts';
import { language, t } from '../text/text.ts';
import { group, showPoint } from './amounts.ts';

type Rate = BackendTypes['schemas']['OwnOverview']['rates'][number];

/** Prices have eight decimals. */
const SCALE = 10n ** 8n;
const SYMBOLS: Readonly<Record<string, string>> = { USD: '$', EUR: '€', GBP: '£', CHF: 'CHF', JPY: '¥' };
const PLACE = 'florin-currency';

/** Empty: that of the language. */
export const currency = createStore(localStorage.getItem(PLACE) ?? '');

export function setCurrency(next: string): void {
  localStorage.setItem(PLACE, next);
  currency.set(next);
}

export interface Price {
  readonly currency: string;
  /** Of one USDC. */
  readonly scaled: bigint;
  readonly isStale: boolean;
  readonly asOf: string;
}

function parsePrice(price: string): bigint {
  const [whole = '0', fraction = ''] = price.split('.');
  return BigInt(whole + fraction.slice(0, 8).padEnd(8, '0'));
}

/** In dollars, and in every currency of which the service knows the price in dollars. */
export function listPrices(rates: readonly Rate[]): Price[] {
  const dollar = rates.find(({ pair }) => pair === 'USDC/USD');
  if (!dollar) return [];
  const scaled = parsePrice(dollar.price);
  const others = rates.flatMap(({ pair, price, stale, as_of: asOf }) => {
    const [code = '', quote] = pair.split('/');
    const own = parsePrice(price);
    if (quote !== 'USD' || !(code in SYMBOLS) || own === 0n) return [];
    const isStale = stale || dollar.stale;
    return { currency: code, scaled: (scaled * SCALE) / own, isStale, asOf };
  });
  return [{ currency: 'USD', scaled, isStale: dollar.stale, asOf: dollar.as_of }, ...others];
}

/** In the chosen currency, or that of the language; in dollars if the service has no price of it. */
export function findPrice(rates: readonly Rate[] = []): Price | undefined {
  const prices = listPrices(rates);
  const wanted = currency.get() || (language.get() === 'de' ? 'EUR' : 'USD');
  return prices.find((one) => one.currency === wanted) ?? prices[0];
}

/** In whole cents, rounded down. */
export const toCents = (amount: string, { scaled }: Price): bigint => (toMicros(amount) * scaled) / (SCALE * 10_000n);

/** As typed: `12.34`. */
export const writeCents = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;

/** The USDC that are worth this amount of the currency, rounded to whole cents. Undefined if there are none. */
export function toUsdc(typed: string, { scaled }: Price): string | undefined {
  if (!/^\d{1,9}(\.\d{0,2})?$/.test(typed) || scaled === 0n) return undefined;
  const cents = toMicros(typed.replace(/\.$/, '')) / 10_000n;
  const micros = ((cents * SCALE + scaled / 2n) / scaled) * 10_000n;
  return micros > 0n && micros < 10n ** 15n ? fromMicros(micros) : undefined;
}

/** The value as `$1,234.50`. */
export function showWorth(amount: string, price: Price): string {
  const cents = toCents(amount, price);
  const digits = `${group(cents / 100n)}${showPoint()}${String(cents % 100n).padStart(2, '0')}`;
  return showInCurrency(digits, price.currency);
}

/** `$12.34` or `12,34 €`, with the digits as they are shown. */
const showInCurrency = (digits: string, code: string): string =>
  t('currency', { symbol: SYMBOLS[code] ?? code, amount: digits });
