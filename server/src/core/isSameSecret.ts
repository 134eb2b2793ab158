import { timingSafeEqual } from 'node:crypto';

/**
 * Compares what somebody sent with what only we should know, in a time that does not tell how much of it was right.
 * Tokens and keys are not compared at all: they are found by the hash of their 256 random bits.
 */
export const isSameSecret = (given: Uint8Array | null | undefined, wanted: Uint8Array): boolean =>
  given != null && given.length === wanted.length && timingSafeEqual(given, wanted);
