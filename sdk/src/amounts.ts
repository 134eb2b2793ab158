import { FlorinError } from './FlorinError.ts';

/** Amounts are decimal text in calls and answers, and whole millionths for calculations. They are never floats. */
const DECIMALS = 6;
const PLAIN = /^(-?)(\d+)(?:\.(\d{1,6}))?$/;

/**
 * Parses `"12.5"` to 12500000n. Throws `amount.inexact` if the text is not an exact number of millionths; nothing
 * is rounded.
 */
export function toMicros(amount: string): bigint {
  const match = typeof amount === 'string' ? PLAIN.exec(amount) : null;
  if (!match)
    throw new FlorinError({
      code: 'amount.inexact',
      title: 'Not an exact amount',
      detail: `An amount must be text like "12.5", with at most six decimals, not ${show(amount)}.`,
    });
  const [, sign, whole, fraction = ''] = match;
  return BigInt(`${sign}${whole}${fraction.padEnd(DECIMALS, '0')}`);
}

/** Formats 12500000n as `"12.5"`, the shortest exact text; the service writes amounts in the same way. */
export function fromMicros(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const digits = String(micros < 0n ? -micros : micros).padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return sign + digits.slice(0, -DECIMALS) + (fraction && `.${fraction}`);
}

const show = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : `a ${typeof value}`);
