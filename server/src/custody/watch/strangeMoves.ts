import type { Queryable, Tx } from '../../db/database.ts';
import { nonceOf, toBytes } from '../eip3009/authorizations.ts';
import type { NonceLog } from './matchLogs.ts';

/** Coins of ours that moved without our knowing. */
export interface StrangeMove {
  readonly assetId: number;
  readonly txHash: string;
  readonly logIndex: number;
  readonly walletId: string;
  readonly nonce: Buffer | null;
  readonly toAddress: string;
  readonly amount: bigint;
  readonly blockNumber: bigint;
  readonly importedAs: string | null;
}

const COLUMNS = `asset_id AS "assetId", tx_hash AS "txHash", log_index AS "logIndex", wallet_id AS "walletId", nonce,
  to_address AS "toAddress", amount, block_number AS "blockNumber", imported_as AS "importedAs"`;

/** The one that was paid under this payment's nonce, if a database from before it was restored. */
export async function findStrange(tx: Tx, paymentId: string): Promise<StrangeMove | undefined> {
  const [row] = await tx.query<StrangeMove>(`SELECT ${COLUMNS} FROM strange_moves WHERE nonce = $1`, [
    toBytes(nonceOf(paymentId)),
  ]);
  return row;
}

/** Cancelled under a nonce that this database does not know: whoever comes with that id again can never be paid. */
export async function rememberCancellations(tx: Tx, assetId: number, logs: readonly NonceLog[]): Promise<void> {
  for (const { nonce, txHash, blockNumber } of logs) {
    await tx.query(
      `INSERT INTO forgotten_cancellations (asset_id, nonce, tx_hash, block_number) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING`,
      [assetId, toBytes(nonce), txHash, blockNumber],
    );
  }
}

export const listStrange = (db: Queryable): Promise<StrangeMove[]> =>
  db.query<StrangeMove>(
    `SELECT ${COLUMNS} FROM strange_moves WHERE imported_as IS NULL ORDER BY block_number, log_index`,
  );
