import { keccak256 } from 'viem';
import type { Hex } from '../../core/ports.ts';
import type { Tx } from '../../db/database.ts';

/** The nonce that the token keeps of a move: everybody who knows the id can compute it, also after a lost database. */
export const nonceOf = (moveId: string): Hex => keccak256(`0x${moveId.replaceAll('-', '')}`);

export const toBytes = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');
export const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;

/** Of a move that was signed before this database knew it. */
export async function insertAuthorization(tx: Tx, moveId: string, nonce: Hex): Promise<void> {
  await tx.query('INSERT INTO authorizations (move_id, nonce) VALUES ($1, $2)', [moveId, toBytes(nonce)]);
}
