import { timingSafeEqual } from 'node:crypto';

/**
 * Compares secrets in constant time, so that timing does not reveal how much of a guess was right. Tokens and keys do
 * not need this: they are looked up by the hash of their 256 random bits.
 */
export const isSameSecret = (given: Uint8Array | null | undefined, wanted: Uint8Array): boolean =>
  given != null && given.length === wanted.length && timingSafeEqual(given, wanted);
