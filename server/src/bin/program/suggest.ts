import { findNearest } from '../../core/findNearest.ts';

/** The known word that was probably meant, as ` (ETH-SEPOLIA?)`; empty if none is near. */
export function suggest(typed: string, words: readonly string[]): string {
  const nearest = findNearest(typed, words);
  return nearest === undefined ? '' : ` (${nearest}?)`;
}
