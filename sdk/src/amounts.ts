/** Amounts are decimal text outside and, for calculating, whole millionths. Neither is ever a float. */
const DECIMALS = 6;
const PLAIN = /^(-?)(\d+)(?:\.(\d{1,6}))?$/;

/** `"12.5"` as 12500000n. Text that is not an exact number of millionths is a TypeError: nothing is rounded. */
export function toMicros(amount: string): bigint {
  const match = typeof amount === 'string' ? PLAIN.exec(amount) : null;
  if (!match) throw new TypeError(`An amount is text like "12.5", with six decimals at most; this is ${show(amount)}.`);
  const [, sign, whole, fraction = ''] = match;
  return BigInt(`${sign}${whole}${fraction.padEnd(DECIMALS, '0')}`);
}

/** 12500000n as `"12.5"`, the shortest text that is exact; the service writes amounts in the same way. */
export function fromMicros(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const digits = String(micros < 0n ? -micros : micros).padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return sign + digits.slice(0, -DECIMALS) + (fraction && `.${fraction}`);
}

const show = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : `a ${typeof value}`);
