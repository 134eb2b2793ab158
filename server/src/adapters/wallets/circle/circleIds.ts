import { createHash } from 'node:crypto';
import { shapeUuid } from '../../../core/ids.ts';
import type { WalletOwner } from '../../../core/ports.ts';
import { wordsOf } from '../ownerWords.ts';

/** Identifies an owner's wallet at Circle, even for a database that has lost the wallet. */
export const refIdOf = (owner: WalletOwner): string => makeId('owner', ...wordsOf(owner));

/**
 * Identifies a wallet that Circle sends from. It differs from the owner's wallet that only signs. There is one per kind
 * of account: `SCA`, `EOA`, or an address family that has only plain accounts.
 */
export const senderRefIdOf = (owner: WalletOwner, kind: string): string => makeId('sender', kind, ...wordsOf(owner));

/** Derives a UUID that does not reveal its input, in the form that Circle requires for keys (version 4). */
export function makeId(...words: readonly (string | number)[]): string {
  const text = JSON.stringify(['wallets at Circle', ...words]);
  return shapeUuid(createHash('sha256').update(text).digest());
}
