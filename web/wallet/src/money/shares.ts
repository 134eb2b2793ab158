/** How a bill is divided. */
import { fromMicros, toMicros } from '@florin/client';

const CENT = 10_000n;

interface Shares {
  /** In the order of the people. */
  readonly others: readonly string[];
  /** Undefined if the person who asks takes no part. */
  readonly own: string | undefined;
}

/**
 * Equal parts that add up exactly, in whole cents if the total is. The person who asks carries what does not divide; if
 * they take no part, the first people pay a cent more. Undefined if a part would be nothing.
 */
export function share(total: string, people: number, isSharing: boolean): Shares | undefined {
  const micros = toMicros(total);
  const unit = micros % CENT === 0n ? CENT : 1n;
  const parts = BigInt(people + (isSharing ? 1 : 0));
  if (people === 0 || micros / unit < parts) return undefined;
  const each = (micros / unit / parts) * unit;
  const rest = micros - each * parts;
  const others = Array.from({ length: people }, (_, nth) => {
    const isLonger = !isSharing && BigInt(nth) < rest / unit;
    return fromMicros(isLonger ? each + unit : each);
  });
  return { others, own: isSharing ? fromMicros(each + rest) : undefined };
}
