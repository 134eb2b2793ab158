/** Amounts are text, or whole millionths to calculate with; a float never holds one. */
import { fromMicros, toMicros } from '@florin/client';
import { t } from '../text/text.ts';

const MILLION = 1_000_000n;

/** In threes, by hand: a browser takes long to make its first formatter of numbers, and the balance waits for this. */
const group = (whole: bigint): string => String(whole).replace(/\B(?=(\d{3})+$)/g, t('number.group'));

/** What stands before the decimals in this language. */
export const showPoint = (): string => t('number.point');

/** `1234.5` as `1,234.50`: two decimals at least, and never fewer than are needed to be exact. */
export function showAmount(amount: string): string {
  const micros = toMicros(amount);
  const size = micros < 0n ? -micros : micros;
  const fraction = String(size % MILLION)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${micros < 0n ? '−' : ''}${group(size / MILLION)}${showPoint()}${fraction}`;
}

/** What it is worth at a price, in whole cents, rounded down. Both are decimal text. */
export function showWorth(amount: string, price: string): string {
  const [whole = '0', fraction = ''] = price.split('.');
  const scaled = BigInt(whole + fraction.slice(0, 8).padEnd(8, '0'));
  const cents = (toMicros(amount) * scaled) / (10n ** 14n / 100n);
  return `${group(cents / 100n)}${showPoint()}${String(cents % 100n).padStart(2, '0')}`;
}

/** What has been typed so far, and one key more. A key that would make it no amount changes nothing. */
export function typeKey(typed: string, key: string): string {
  if (key === 'Backspace') return typed.slice(0, -1);
  if (key === '.' || key === ',') return typed.includes('.') ? typed : `${typed || '0'}.`;
  if (!/^\d$/.test(key)) return typed;
  const next = typed === '0' ? key : typed + key;
  return /^\d{1,9}(\.\d{0,6})?$/.test(next) ? next : typed;
}

/** Undefined while it is not an amount above zero. */
export function findAmount(typed: string): string | undefined {
  if (!/^\d{1,9}(\.\d{0,6})?$/.test(typed)) return undefined;
  const micros = toMicros(typed.replace(/\.$/, ''));
  return micros > 0n ? fromMicros(micros) : undefined;
}

/** What was typed, with the marks of the language. */
export function showTyped(typed: string): string {
  const [whole = '', fraction] = typed.split('.');
  const shown = group(BigInt(whole || '0'));
  return fraction === undefined ? shown : `${shown}${showPoint()}${fraction}`;
}

/** A class: large amounts are written smaller, so that they fit on a phone. */
export const sizeOf = (shown: string): string => (shown.length > 12 ? 'tiny' : shown.length > 8 ? 'small' : '');
