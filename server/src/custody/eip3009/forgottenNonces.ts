import type { TokenLog } from '../../core/ports.ts';
import type { Tx } from '../../db/database.ts';
import { insertMove } from '../coins/moves.ts';
import { UNEXPLAINED_COLUMNS, type UnexplainedMove } from '../watch/unexplainedMoves.ts';
import { insertAuthorization, nonceOf, toBytes, toHex } from './authorizations.ts';

/** What the token said about an authorization. */
export type NonceLog = Extract<TokenLog, { kind: 'used' | 'canceled' }>;

interface Accepted {
  readonly paymentId: string;
  readonly walletId: string;
  readonly destination: string;
  readonly amount: bigint;
  readonly address: string;
}

/**
 * A database restored from between a payment's acceptance and its move knows the payment, but not that it was signed, let
 * alone approved. Its nonce follows from its id: what the chain used or cancelled is recognized, and ends it.
 */
export async function recognizePayments(tx: Tx, assetId: number, logs: readonly NonceLog[]): Promise<void> {
  const seen = new Map(logs.map((log) => [log.nonce, log]));
  if (seen.size === 0) return;
  const accepted = await tx.query<Accepted>(
    `SELECT p.payment_id AS "paymentId", p.wallet_id AS "walletId", p.destination, t.amount, w.address
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id JOIN wallets w ON w.wallet_id = p.wallet_id
      WHERE t.asset_id = $1 AND payment_is_unreserved(p.state)
        AND NOT EXISTS (SELECT FROM coin_moves m WHERE m.move_id = p.payment_id)`,
    [assetId],
  );
  for (const { paymentId, walletId, destination, amount, address } of accepted) {
    const nonce = nonceOf(paymentId);
    const log = seen.get(nonce);
    if (!log) continue;
    const { txHash, blockNumber } = log;
    await insertMove(tx, {
      moveId: paymentId,
      assetId,
      from: { walletId, address, rail: 'eip3009' },
      toAddress: destination,
      amount,
      reserved: 0n,
      ended: { state: log.kind === 'used' ? 'done' : 'dead', txHash, blockNumber },
    });
    await insertAuthorization(tx, paymentId, nonce);
  }
}

/** Used or cancelled under nonces that this database does not know. */
export async function rememberNonces(tx: Tx, assetId: number, logs: readonly NonceLog[]): Promise<void> {
  if (logs.length === 0) return;
  const known = await tx.query<{ nonce: Buffer }>('SELECT nonce FROM authorizations WHERE nonce = ANY ($1)', [
    logs.map(({ nonce }) => toBytes(nonce)),
  ]);
  const ours = new Set(known.map(({ nonce }) => toHex(nonce)));
  for (const { kind, nonce, txHash, logIndex, blockNumber } of logs) {
    if (ours.has(nonce)) continue;
    await tx.query(
      `INSERT INTO forgotten_nonces (asset_id, nonce, kind, tx_hash, log_index, block_number)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
      [assetId, toBytes(nonce), kind, txHash, kind === 'used' ? logIndex + 1 : null, blockNumber],
    );
  }
}

/** The unexplained move that was made under this payment's nonce, if a database from before it was restored. */
export async function findPaid(tx: Tx, paymentId: string): Promise<UnexplainedMove | undefined> {
  const [row] = await tx.query<UnexplainedMove>(
    `SELECT ${UNEXPLAINED_COLUMNS} FROM forgotten_nonces f JOIN unexplained_moves u USING (asset_id, tx_hash, log_index)
      WHERE f.nonce = $1`,
    [toBytes(nonceOf(paymentId))],
  );
  return row;
}
