import { createHash } from 'node:crypto';
import { shapeUuid } from '../../../core/ids.ts';
import type { WalletOwner } from '../../../core/ports.ts';
import { wordsOf } from '../ownerWords.ts';

/** Somebody's wallet is found by it, also by a database that has forgotten it. */
export const refIdOf = (owner: WalletOwner): string => makeId('owner', ...wordsOf(owner));

/**
 * Of a wallet that Circle sends from by itself: another one than theirs that only signs, and one per kind of account: `SCA`,
 * `EOA`, or a family of addresses that has plain accounts alone.
 */
export const senderRefIdOf = (owner: WalletOwner, kind: string): string => makeId('sender', kind, ...wordsOf(owner));

/** A UUID that says nothing about what it was made from, in the form that Circle wants for keys (version 4). */
export function makeId(...words: readonly (string | number)[]): string {
  const text = JSON.stringify(['wallets at Circle', ...words]);
  return shapeUuid(createHash('sha256').update(text).digest());
}
