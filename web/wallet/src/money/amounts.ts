/** Amounts are text, or whole millionths for calculations; never floats. */
import { fromMicros, toMicros } from '@florin/client';
import { t } from '../text/languages.ts';

const MILLION = 1_000_000n;

/**
 * Groups digits by hand: browsers take long to create their first number formatter, and the balance would wait for it.
 */
export const group = (whole: bigint): string => String(whole).replace(/\B(?=(\d{3})+$)/g, t('number.group'));

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

/**
 * A pasted amount as typed text: `1,234.50`, `1.234,50 €` or `12,5`. Of two separators the last one is the decimal point.
 * A single one before exactly three digits is read as this language writes numbers. Undefined if it is not an amount.
 */
export function parsePasted(text: string): string | undefined {
  const bare = text.replace(/[\s\u00a0\u202f'’]|USDC|USD|EUR|[$€]/gi, '');
  if (!/^\d[\d.,]*$/.test(bare)) return undefined;
  const last = /[.,](?=[^.,]*$)/.exec(bare);
  const parts = bare.split(/[.,]/);
  const isMixed = bare.includes('.') && bare.includes(',');
  const isOne = parts.length === 2;
  const isPoint =
    last && (isMixed || (isOne && (parts[1]!.length !== 3 || last[0] === showPoint() || parts[0] === '0')));
  const whole = (isPoint ? parts.slice(0, -1) : parts).join('').replace(/^0+(?=\d)/, '');
  const typed = isPoint ? `${whole}.${parts.at(-1)}` : whole;
  return findAmount(typed) === undefined ? undefined : typed;
}

/** The typed text, with the separators of the language. */
export function showTyped(typed: string): string {
  const [whole = '', fraction] = typed.split('.');
  const shown = group(BigInt(whole || '0'));
  return fraction === undefined ? shown : `${shown}${showPoint()}${fraction}`;
}

/** A CSS class: large amounts are written smaller, so that they fit on a phone. */
export const sizeOf = (shown: string): string => (shown.length > 12 ? 'tiny' : shown.length > 8 ? 'small' : '');
