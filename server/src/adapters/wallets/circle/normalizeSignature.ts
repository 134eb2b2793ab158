import { recoverAddress } from 'viem/utils';
import type { Hex } from '../../../core/ports.ts';

/** The order of secp256k1. Both s and ORDER - s are valid; the token accepts only the lower one. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * Converts a signature to the one form that the token accepts: 65 bytes r, s, v with a low s and v 27 or 28. Libraries,
 * including ours, also accept other forms. Undefined: it is not a signature of this hash by this signer.
 */
export async function normalizeSignature(given: unknown, hash: Hex, signer: Hex): Promise<Hex | undefined> {
  const [, r, high, end] =
    (typeof given === 'string' && /^(?:0x)?([0-9a-f]{64})([0-9a-f]{64})([0-9a-f]{2})$/i.exec(given)) || [];
  if (!r || !high || !end) return undefined;
  const v = Number.parseInt(end, 16);
  const parity = v >= 27 ? v - 27 : v;
  if (parity !== 0 && parity !== 1) return undefined;
  const s = BigInt(`0x${high}`);
  const isHigh = s > ORDER / 2n;
  const low = (isHigh ? ORDER - s : s).toString(16).padStart(64, '0');
  const last = (27 + (isHigh ? 1 - parity : parity)).toString(16);
  const signature: Hex = `0x${r.toLowerCase()}${low}${last}`;
  // Throws if the numbers are not a point on the curve.
  const found = await recoverAddress({ hash, signature }).catch(() => undefined);
  return found === signer ? signature : undefined;
}
