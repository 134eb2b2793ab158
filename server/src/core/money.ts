/**
 * Money is a count of micro-USDC in a bigint. Only `parseUsdc` turns text into money and only `formatUsdc` turns money
 * into text; neither uses a float.
 */
import { PayError } from './errors.ts';

declare const usdc: unique symbol;
export type Usdc = bigint & { readonly [usdc]: true };

/**
 * The scale of all amounts, here and in PostgreSQL (`decimal_amount`). A token with other decimals is refused
 * (`adapters/chain/checkToken.ts`).
 */
export const DECIMALS = 6;
/**
 * Nine digits before the decimal point: more than any payment, and small enough that sums fit into a PostgreSQL bigint.
 */
export const MAX_AMOUNT = 999_999_999_999_999n as Usdc;
/** The limit for the total of a payout file. It fits into a PostgreSQL bigint too. */
export const MAX_TOTAL = 999_999_999_999_999_999n as Usdc;

/**
 * Parses the number as it appears in the JSON text, because `JSON.parse` would already have rounded it. Only the value
 * matters: `1e-6` and `1.0000000` are exact. A value finer than a micro-USDC is refused, never rounded. `largest` must
 * consist of nines only.
 */
export function parseUsdc(source: string, largest: Usdc = MAX_AMOUNT): Usdc {
  // The fast path for nearly every amount.
  const plain = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(source);
  if (plain) return BigInt(plain[1]! + (plain[2] ?? '').padEnd(DECIMALS, '0')) as Usdc;
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (!match) throw new TypeError('parseUsdc expects the source text of a JSON number');
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0n as Usdc;
  const significant = withoutTrailingZeros(digits);
  const power = parseExponent(exponent) + BigInt(DECIMALS - fraction.length + (digits.length - significant.length));
  if (power < 0n) {
    const nearest = formatUsdc(findNearest(significant, power, largest));
    throw new PayError('amount.precision', { decimals: DECIMALS, nearest: sign + nearest });
  }
  if (BigInt(significant.length) + power > BigInt(String(largest).length)) {
    throw new PayError('amount.too_large', { largest: formatUsdc(largest) });
  }
  const value = BigInt(significant) * 10n ** power;
  return (sign ? -value : value) as Usdc;
}

/**
 * The amount that was probably meant by `digits` times ten to the `power`, which is negative. `0.1 + 0.7` of floats is a
 * little less than 0.8, so it is rounded and not cut off. Never 0, which cannot be paid.
 */
function findNearest(digits: string, power: bigint, largest: bigint): bigint {
  const whole = BigInt(digits.length) + power;
  if (whole < 0n) return 1n;
  if (whole > BigInt(String(largest).length)) return largest;
  const end = Number.parseInt(String(whole), 10);
  const kept = BigInt(digits.slice(0, end));
  const rounded = digits.charAt(end) >= '5' ? kept + 1n : kept;
  return rounded < 1n ? 1n : rounded > largest ? largest : rounded;
}

/**
 * This is a loop because `/0+$/` takes quadratic time on many zeros followed by another digit, which a caller may send.
 */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  return digits.slice(0, end);
}

/** An exponent of a thousand digits is legal JSON. With more than nine digits only its sign matters. */
function parseExponent(text: string): bigint {
  const [, sign = '', digits = ''] = /^([+-]?)0*(\d*)$/.exec(text) ?? [];
  const size = digits.length > 9 ? 10n ** 9n : BigInt(digits);
  return sign === '-' ? -size : size;
}

/** Returns the shortest exact decimal: `12.5`, `0.000001`, `-3`. */
export function formatUsdc(amount: bigint): string {
  const sign = amount < 0n ? '-' : '';
  const digits = String(amount < 0n ? -amount : amount).padStart(DECIMALS + 1, '0');
  const fraction = withoutTrailingZeros(digits.slice(-DECIMALS));
  return sign + digits.slice(0, -DECIMALS) + (fraction && `.${fraction}`);
}

/** An amount of the coin that pays gas, which has 18 decimals on every blockchain, rounded up to six. */
export const formatCoins = (wei: bigint): string => formatUsdc((wei + 10n ** 12n - 1n) / 10n ** 12n);

/** A price of a unit of gas. */
export const formatGwei = (wei: bigint): string => `${formatUsdc(wei / 1000n)} gwei`;
