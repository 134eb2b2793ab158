import type { Hex } from '../../core/ports.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { pauseSends } from '../../operators/pauses.ts';
import { depositId } from '../coins/creditDeposits.ts';
import { assetIdsOf, getAsset, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import type { SeenTransfer } from './matchLogs.ts';

/** A move of our coins that no move of this database explains. */
export interface UnexplainedMove {
  readonly assetId: number;
  readonly txHash: string;
  readonly logIndex: number;
  readonly walletId: string;
  readonly toAddress: string;
  readonly amount: bigint;
  readonly blockNumber: bigint;
  /** Set if the coins went to one of our wallets: the import then credits that wallet's owner. */
  readonly toWallet: string | null;
  /** It was made under a nonce of ours. Without one it comes from a provider. */
  readonly hasNonce: boolean;
  /**
   * Its nonce marks it as a settlement, and it credited no one. It went to someone who is not registered (again) yet.
   */
  readonly isSettlement: boolean;
  /** On an unwatched chain: the provider's id of it, or the key under which it was requested. */
  readonly providerKey: string | null;
  /** The payment that accounts for it now. */
  readonly importedAs: string | null;
}

/** Columns of `u`, rows of `unexplained_moves`, and `f`, rows of `forgotten_nonces`. */
export const UNEXPLAINED_COLUMNS = `u.asset_id AS "assetId", u.tx_hash AS "txHash", u.log_index AS "logIndex",
  u.wallet_id AS "walletId", u.to_address AS "toAddress", u.amount, u.block_number AS "blockNumber",
  u.to_wallet AS "toWallet", f.nonce IS NOT NULL AS "hasNonce", is_forgotten_settlement(u) AS "isSettlement",
  CASE WHEN u.block_number = 0 THEN u.block_hash END AS "providerKey", u.imported_as AS "importedAs"`;

export const listUnexplained = (db: Queryable): Promise<UnexplainedMove[]> =>
  db.query<UnexplainedMove>(
    `SELECT ${UNEXPLAINED_COLUMNS} FROM unexplained_moves u LEFT JOIN forgotten_nonces f USING (asset_id, tx_hash, log_index)
      WHERE u.imported_as IS NULL ORDER BY u.block_number, u.log_index`,
  );

/**
 * An operator has decided that it was not a payment. Returns false if it did not go to one of our wallets, or is
 * already explained.
 */
export async function explainAsSettlement(tx: Tx, { assetId, txHash, logIndex }: UnexplainedMove): Promise<boolean> {
  const [row] = await tx.query<{ is_explained: boolean }>('SELECT explain_settlement($1, $2, $3) AS is_explained', [
    assetId,
    txHash,
    logIndex,
  ]);
  return row!.is_explained;
}

/**
 * An operator has decided that the service bears the loss. Returns false if it went to one of our wallets, or is
 * already explained.
 */
export async function explainAsLoss(tx: Tx, { assetId, txHash, logIndex }: UnexplainedMove): Promise<boolean> {
  const [row] = await tx.query<{ is_explained: boolean }>('SELECT explain_loss($1, $2, $3) AS is_explained', [
    assetId,
    txHash,
    logIndex,
  ]);
  return row!.is_explained;
}

/**
 * Pauses sends until an operator has checked it. If it went to one of our wallets, the import will credit that wallet's
 * owner.
 */
export async function recordUnexplained(
  tx: Tx,
  network: Network,
  assetId: number,
  seen: readonly SeenTransfer[],
): Promise<void> {
  for (const one of seen) {
    const { log, fromWallet, toWallet, ordinal } = one;
    if (await findAgain(tx, assetId, one)) continue;
    await tx.query(
      `INSERT INTO unexplained_moves (asset_id, tx_hash, log_index, wallet_id, to_address, amount, block_number, block_hash,
         to_wallet, ordinal, deposit_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
      [
        assetId,
        log.txHash,
        log.logIndex,
        fromWallet,
        log.to,
        log.amount,
        log.blockNumber,
        log.blockHash,
        ...(toWallet ? [toWallet, ordinal, depositId(getAsset(network, assetId), one)] : [null, null, null]),
      ],
    );
    await pauseSends(tx, network.chain.blockchain, 'unexplained', `${describeMove(one)}; see florin books check`);
  }
}

/** It was imported, and a reorg has removed it: now it has a log position again, and so does its deposit. */
async function findAgain(tx: Tx, assetId: number, { log, fromWallet }: SeenTransfer): Promise<boolean> {
  const { txHash, logIndex, blockNumber, blockHash } = log;
  const [again] = await tx.query<{ to_wallet: string | null; ordinal: number | null }>(
    `UPDATE unexplained_moves SET log_index = $3, block_number = $4, block_hash = $5
      WHERE asset_id = $1 AND tx_hash = $2 AND log_index = (
        SELECT max(log_index) FROM unexplained_moves WHERE asset_id = $1 AND tx_hash = $2 AND log_index < 0
           AND wallet_id = $6 AND lower(to_address) = lower($7) AND amount = $8)
     RETURNING to_wallet, ordinal`,
    [assetId, txHash, logIndex, blockNumber, blockHash, fromWallet, log.to, log.amount],
  );
  if (again?.to_wallet) {
    await tx.query(
      `UPDATE deposits SET state = 'credited', block_number = $5, block_hash = $6
        WHERE asset_id = $1 AND tx_hash = $2 AND wallet_id = $3 AND ordinal = $4`,
      [assetId, txHash, again.to_wallet, again.ordinal, blockNumber, blockHash],
    );
  }
  return again !== undefined;
}

const describeMove = ({ log, fromWallet, toWallet }: SeenTransfer): string =>
  `coins left wallet ${fromWallet}${toWallet ? ` for wallet ${toWallet}` : ''} in ${log.txHash} and this database does not know why`;

interface Adopted {
  readonly assetId: number;
  readonly txHash: Hex;
  readonly logIndex: number;
  readonly to: Hex;
  readonly walletId: string;
  readonly ordinal: number;
}

/**
 * Adopts unexplained moves to addresses that have become our wallets since, because someone has registered again after
 * a restore. Runs when those wallets have been rescanned: their coins are counted then.
 */
export async function adoptUnexplained(app: Pick<CustodyApp, 'db'>, network: Network): Promise<void> {
  const adopted = await app.db.query<Adopted>(
    `SELECT u.asset_id AS "assetId", u.tx_hash AS "txHash", u.log_index AS "logIndex", u.to_address AS "to",
            w.wallet_id AS "walletId", last.ordinal + (SELECT count(*) FROM unexplained_moves b
              WHERE b.asset_id = u.asset_id AND b.tx_hash = u.tx_hash AND lower(b.to_address) = lower(u.to_address)
                AND b.log_index < u.log_index AND b.log_index > last.log_index)::int AS ordinal
       FROM unexplained_moves u JOIN wallets w ON w.family = 'evm' AND lower(w.address) = lower(u.to_address)
       -- The first ordinal after the earlier deposits in the same chain transaction.
       CROSS JOIN LATERAL (
         SELECT coalesce(max(d.ordinal) + 1, 0) AS ordinal, coalesce(max(d.log_index), -1) AS log_index FROM deposits d
          WHERE d.asset_id = u.asset_id AND d.tx_hash = u.tx_hash AND d.wallet_id = w.wallet_id
            AND coalesce(d.log_index, -1) < u.log_index) AS last
      WHERE u.asset_id = ANY ($1) AND u.imported_as IS NULL AND u.to_wallet IS NULL
        AND NOT EXISTS (SELECT FROM wallet_rescans r WHERE r.asset_id = u.asset_id AND r.wallet_id = w.wallet_id)
        AND NOT is_credited_transfer(u.asset_id, u.tx_hash, u.log_index, u.amount, w.wallet_id)`,
    [assetIdsOf(network)],
  );
  for (const { assetId, txHash, logIndex, to, walletId, ordinal } of adopted) {
    const asset = getAsset(network, assetId);
    const id = depositId(asset, { log: { token: asset.contract, txHash, to }, ordinal });
    await app.db.query('SELECT adopt_unexplained($1, $2, $3, $4, $5, $6)', [
      assetId,
      txHash,
      logIndex,
      walletId,
      ordinal,
      id,
    ]);
  }
}
