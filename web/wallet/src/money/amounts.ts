/** Amounts are text, or whole millionths for calculations; never floats. */
import { fromMicros, toMicros } from '@florin/client';
import { t } from '../text/text.ts';

const MILLION = 1_000_000n;

/**
 * Groups digits by hand: browsers take long to create their first number formatter, and the balance would wait for it.
 */
const group = (whole: bigint): string => String(whole).replace(/\B(?=(\d{3})+$)/g, t('number.group'));

/** The decimal separator of this language. */
export const showPoint = (): string => t('number.point');

/** `1234.5` as `1,234.50`: at least two decimals, and as many as are needed to be exact. */
export function showAmount(amount: string): string {
  const micros = toMicros(amount);
  const size = micros < 0n ? -micros : micros;
  const fraction = String(size % MILLION)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${micros < 0n ? '−' : ''}${group(size / MILLION)}${showPoint()}${fraction}`;
}

/** The value at a price, in whole cents, rounded down. Both are decimal text. */
export function showWorth(amount: string, price: string): string {
  const [whole = '0', fraction = ''] = price.split('.');
  const scaled = BigInt(whole + fraction.slice(0, 8).padEnd(8, '0'));
  const cents = (toMicros(amount) * scaled) / (10n ** 14n / 100n);
  return `${group(cents / 100n)}${showPoint()}${String(cents % 100n).padStart(2, '0')}`;
}

/** The typed text after one more key. A key that would make the amount invalid changes nothing. */
export function typeKey(typed: string, key: string): string {
  if (key === 'Backspace') return typed.slice(0, -1);
  if (key === '.' || key === ',') return typed.includes('.') ? typed : `${typed || '0'}.`;
  if (!/^\d$/.test(key)) return typed;
  const next = typed === '0' ? key : typed + key;
  return /^\d{1,9}(\.\d{0,6})?$/.test(next) ? next : typed;
}

/** Undefined if it is not an amount above zero. */
export function findAmount(typed: string): string | undefined {
  if (!/^\d{1,9}(\.\d{0,6})?$/.test(typed)) return undefined;
  const micros = toMicros(typed.replace(/\.$/, ''));
  return micros > 0n ? fromMicros(micros) : undefined;
}

/** The typed text, with the separators of the language. */
export function showTyped(typed: string): string {
  const [whole = '', fraction] = typed.split('.');
  const shown = group(BigInt(whole || '0'));
  return fraction === undefined ? shown : `${shown}${showPoint()}${fraction}`;
}

/** A CSS class: large amounts are written smaller, so that they fit on a phone. */
export const sizeOf = (shown: string): string => (shown.length > 12 ? 'tiny' : shown.length > 8 ? 'small' : '');
