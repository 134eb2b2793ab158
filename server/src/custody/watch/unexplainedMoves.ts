import type { Queryable, Tx } from '../../db/database.ts';
import { pauseSends } from '../../operators/pauses.ts';
import { depositId } from '../coins/creditDeposits.ts';
import type { Network } from '../network.ts';
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
  /** The payment that accounts for it now. */
  readonly importedAs: string | null;
}

/** From `u`, rows of `unexplained_moves`. */
export const UNEXPLAINED_COLUMNS = `u.asset_id AS "assetId", u.tx_hash AS "txHash", u.log_index AS "logIndex",
  u.wallet_id AS "walletId", u.to_address AS "toAddress", u.amount, u.block_number AS "blockNumber",
  u.imported_as AS "importedAs"`;

export const listUnexplained = (db: Queryable): Promise<UnexplainedMove[]> =>
  db.query<UnexplainedMove>(
    `SELECT ${UNEXPLAINED_COLUMNS} FROM unexplained_moves u WHERE imported_as IS NULL ORDER BY block_number, log_index`,
  );

/** Pauses sends until a person has looked. If it went to a wallet of ours, the import will credit that one's owner. */
export async function recordUnexplained(
  tx: Tx,
  { chain }: Network,
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
        ...(toWallet ? [toWallet, log.blockHash, ordinal, depositId(one)] : [null, null, null, null]),
      ],
    );
    await pauseSends(tx, chain.blockchain, 'unexplained', `${describeMove(one)}; see npm run operate -- unexplained`);
  }
}

const describeMove = ({ log, fromWallet, toWallet }: SeenTransfer): string =>
  `coins left wallet ${fromWallet}${toWallet ? ` for wallet ${toWallet}` : ''} in ${log.txHash} and this database does not know why`;
