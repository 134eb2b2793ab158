import { keccak256 } from 'viem/utils';
import type { Hex } from '../../core/ports.ts';
import type { Tx } from '../../db/database.ts';
import type { KnownMove } from '../coins/moves.ts';

/** The first half of every settlement's nonce: the characters `florin-settle-01`. It must never change. */
const SETTLEMENT_TAG = Buffer.from('florin-settle-01').toString('hex');

/** The nonce of a send. It is computed from the payment's id, so it is known even after the database was lost. */
export const nonceOf = (paymentId: string): Hex => keccak256(`0x${bare(paymentId)}`);

/**
 * The nonce of a settlement contains a tag and its move id. Only our own keys can have signed it, so a database
 * restored from before it recognizes it: coins move between our own wallets, and no one is credited.
 */
export const settlementNonceOf = (moveId: string): Hex => `0x${SETTLEMENT_TAG}${bare(moveId)}`;

export const nonceOfMove = ({ moveId, purpose }: Pick<KnownMove, 'moveId' | 'purpose'>): Hex =>
  purpose === 'settlement' ? settlementNonceOf(moveId) : nonceOf(moveId);

/** Whether this nonce is made from the move's id. Those of settlements in older releases had no tag. */
export const isNonceOf = ({ moveId, purpose }: Pick<KnownMove, 'moveId' | 'purpose'>, nonce: Hex): boolean =>
  nonce === nonceOf(moveId) || (purpose === 'settlement' && nonce === settlementNonceOf(moveId));

/** Returns the move that this nonce names; undefined if it is not a settlement's. */
export function findSettlementId(nonce: Hex): string | undefined {
  if (!nonce.toLowerCase().startsWith(`0x${SETTLEMENT_TAG}`)) return undefined;
  const id = nonce.slice(2 + SETTLEMENT_TAG.length).toLowerCase();
  return `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`;
}

const bare = (id: string): string => id.replaceAll('-', '');

export const toBytes = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');
export const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;

/** For a move that was signed before this database knew it. */
export async function insertAuthorization(tx: Tx, moveId: string, nonce: Hex): Promise<void> {
  await tx.query(
    `INSERT INTO authorizations (move_id, nonce, carried)
     SELECT move_id, $2, state <> 'open' FROM coin_moves WHERE move_id = $1`,
    [moveId, toBytes(nonce)],
  );
}
