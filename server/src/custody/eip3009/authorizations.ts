import { keccak256 } from 'viem';
import type { Hex } from '../../core/ports.ts';
import type { Queryable, Tx } from '../../db/database.ts';

interface NewAuthorization {
  readonly authorizationId: string;
  readonly assetId: number;
  readonly walletId: string;
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly value: bigint;
  readonly reserved: bigint;
  /** Written down after the fact: what the chain has done with it. */
  readonly done?: { readonly state: 'used' | 'dead'; readonly txHash: Hex; readonly blockNumber: bigint };
  readonly settlement?: { readonly settlementId: string; readonly toWallet: string; readonly funds?: string };
}

/** The on-chain nonce of a payment: everybody who knows the id can compute it, also after a lost database. */
export const nonceOf = (authorizationId: string): Hex => keccak256(`0x${authorizationId.replaceAll('-', '')}`);

export const toBytes = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');
export const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;

/** Reserves and promises in one: PostgreSQL refuses it when the wallet has not that much left. */
export async function insertAuthorization(tx: Tx, one: NewAuthorization): Promise<void> {
  await tx.query(
    `INSERT INTO authorizations (authorization_id, asset_id, wallet_id, purpose, settlement_id, to_wallet, funds,
       nonce, from_address, to_address, value, reserved, state, tx_hash, block_number)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      one.authorizationId,
      one.assetId,
      one.walletId,
      one.settlement ? 'settlement' : 'send',
      one.settlement?.settlementId ?? null,
      one.settlement?.toWallet ?? null,
      one.settlement?.funds ?? null,
      toBytes(nonceOf(one.authorizationId)),
      one.fromAddress,
      one.toAddress,
      one.value,
      one.reserved,
      one.done?.state ?? 'open',
      one.done?.txHash ?? null,
      one.done?.blockNumber ?? null,
    ],
  );
}

/** By wallet id; one that is not in the answer does not exist. */
export async function readAddresses(db: Queryable, walletIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.query<{ wallet_id: string; address: string }>(
    'SELECT wallet_id, address FROM wallets WHERE wallet_id = ANY ($1)',
    [walletIds],
  );
  return new Map(rows.map((row) => [row.wallet_id, row.address]));
}
