import { recoverAddress } from 'viem';
import type { Hex } from '../../../core/ports.ts';

/** The order of secp256k1. Of s and ORDER - s both sign; the token accepts only the lower. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * The one form that the token accepts: 65 bytes r, s, v with a low s and v 27 or 28. Libraries, ours among them, also take
 * others for good. Undefined: it is no signature, or not of this hash by this signer.
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
  // Numbers that are no point of the curve make it throw.
  const found = await recoverAddress({ hash, signature }).catch(() => undefined);
  return found === signer ? signature : undefined;
}
