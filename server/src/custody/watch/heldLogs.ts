import type { Hex } from '../../core/ports.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { assetIdsOf, type Network, type NetworkAsset } from '../network.ts';
import type { RawTransfer, SeenTransfer } from './matchLogs.ts';

interface HeldRow {
  readonly tx_hash: Hex;
  readonly log_index: number;
  readonly block_number: bigint;
  readonly block_hash: Hex;
  readonly from_wallet: string;
  readonly to_wallet: string | null;
  readonly from_address: Hex;
  readonly to_address: Hex;
  readonly amount: bigint;
  readonly ordinal: number;
}

export async function hasHeld(db: Queryable, network: Network): Promise<boolean> {
  const rows = await db.query('SELECT FROM held_logs WHERE asset_id = ANY ($1) LIMIT 1', [assetIdsOf(network)]);
  return rows.length > 0;
}

/** In the order of the chain. The cursor's row is locked, so no other worker resolves them at the same time. */
export async function readHeld(tx: Tx, { assetId, contract }: NetworkAsset): Promise<RawTransfer[]> {
  const rows = await tx.query<HeldRow>(
    `SELECT tx_hash, log_index, block_number, block_hash, from_wallet, to_wallet, from_address, to_address, amount, ordinal
       FROM held_logs WHERE asset_id = $1 ORDER BY block_number, log_index`,
    [assetId],
  );
  return rows.map((row) => ({
    log: {
      kind: 'transfer',
      token: contract,
      txHash: row.tx_hash,
      logIndex: row.log_index,
      blockNumber: row.block_number,
      blockHash: row.block_hash,
      from: row.from_address,
      to: row.to_address,
      amount: row.amount,
    },
    fromWallet: row.from_wallet,
    toWallet: row.to_wallet ?? undefined,
    ordinal: row.ordinal,
  }));
}

/** Replaces the held logs after new logs were interpreted. */
export async function replaceHeld(
  tx: Tx,
  assetId: number,
  before: readonly RawTransfer[],
  now: readonly SeenTransfer[],
): Promise<void> {
  const placed = ({ log }: RawTransfer) => `${log.txHash}:${log.logIndex}`;
  const held = new Set(now.map(placed));
  const known = new Set(before.map(placed));
  for (const one of before) {
    if (held.has(placed(one))) continue;
    const { txHash, logIndex } = one.log;
    await tx.query('DELETE FROM held_logs WHERE asset_id = $1 AND tx_hash = $2 AND log_index = $3', [
      assetId,
      txHash,
      logIndex,
    ]);
  }
  for (const one of now) {
    if (known.has(placed(one))) continue;
    const { log, fromWallet, toWallet, ordinal } = one;
    await tx.query(
      `INSERT INTO held_logs (asset_id, tx_hash, log_index, block_number, block_hash, from_wallet, to_wallet, from_address,
         to_address, amount, ordinal)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        assetId,
        log.txHash,
        log.logIndex,
        log.blockNumber,
        log.blockHash,
        fromWallet,
        toWallet ?? null,
        log.from,
        log.to,
        log.amount,
        ordinal,
      ],
    );
  }
}
