import type { Queryable, Tx } from '../../db/database.ts';
import { pauseSends } from '../../operators/pauses.ts';
import { depositId } from '../coins/creditDeposits.ts';
import { getAsset, type Network } from '../network.ts';
import type { SeenTransfer } from './matchLogs.ts';

/** Coins of ours that moved, and no move of this database explains it. */
export interface UnexplainedMove {
  readonly assetId: number;
  readonly txHash: string;
  readonly logIndex: number;
  readonly walletId: string;
  readonly toAddress: string;
  readonly amount: bigint;
  readonly blockNumber: bigint;
  /** Set when it went to a wallet of ours: then the import credits that one's owner. */
  readonly toWallet: string | null;
  /** It was made under a nonce of ours; without one it is a provider's. */
  readonly hasNonce: boolean;
  /** Its nonce says so. It went to somebody who is not registered (again) yet. */
  readonly isSettlement: boolean;
  /** The payment that accounts for it now. */
  readonly importedAs: string | null;
}

/** From `u`, rows of `unexplained_moves`, and `f`, rows of `forgotten_nonces`. */
export const UNEXPLAINED_COLUMNS = `u.asset_id AS "assetId", u.tx_hash AS "txHash", u.log_index AS "logIndex",
  u.wallet_id AS "walletId", u.to_address AS "toAddress", u.amount, u.block_number AS "blockNumber",
  u.to_wallet AS "toWallet", f.nonce IS NOT NULL AS "hasNonce", coalesce(is_settlement_nonce(f.nonce), false) AS "isSettlement",
  u.imported_as AS "importedAs"`;

export const listUnexplained = (db: Queryable): Promise<UnexplainedMove[]> =>
  db.query<UnexplainedMove>(
    `SELECT ${UNEXPLAINED_COLUMNS} FROM unexplained_moves u LEFT JOIN forgotten_nonces f USING (asset_id, tx_hash, log_index)
      WHERE u.imported_as IS NULL ORDER BY u.block_number, u.log_index`,
  );

/** A person says that nobody paid anybody by it. False when it did not go to a wallet of ours, or has its explanation. */
export async function explainAsSettlement(tx: Tx, { assetId, txHash, logIndex }: UnexplainedMove): Promise<boolean> {
  const [row] = await tx.query<{ is_explained: boolean }>('SELECT explain_settlement($1, $2, $3) AS is_explained', [
    assetId,
    txHash,
    logIndex,
  ]);
  return row!.is_explained;
}

/** Pauses sends until a person has looked. If it went to a wallet of ours, the import will credit that one's owner. */
export async function recordUnexplained(
  tx: Tx,
  network: Network,
  assetId: number,
  seen: readonly SeenTransfer[],
): Promise<void> {
  for (const one of seen) {
    const { log, fromWallet, toWallet, ordinal } = one;
    await tx.query(
      `INSERT INTO unexplained_moves (asset_id, tx_hash, log_index, wallet_id, to_address, amount, block_number, to_wallet,
         block_hash, ordinal, deposit_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
      [
        assetId,
        log.txHash,
        log.logIndex,
        fromWallet,
        log.to,
        log.amount,
        log.blockNumber,
        ...(toWallet
          ? [toWallet, log.blockHash, ordinal, depositId(getAsset(network, assetId), one)]
          : [null, null, null, null]),
      ],
    );
    await pauseSends(
      tx,
      network.chain.blockchain,
      'unexplained',
      `${describeMove(one)}; see npm run operate -- unexplained`,
    );
  }
}

const describeMove = ({ log, fromWallet, toWallet }: SeenTransfer): string =>
  `coins left wallet ${fromWallet}${toWallet ? ` for wallet ${toWallet}` : ''} in ${log.txHash} and this database does not know why`;
