import { smaller } from '../../core/bigints.ts';
import type { Hex } from '../../core/ports.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { lockHoldings } from '../coins/holdings.ts';
import { changeCoins } from '../coins/moveCoins.ts';
import { assetIdsOf, getAsset, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { lockSame, readCursor } from './cursor.ts';
import type { SeenTransfer } from './matchLogs.ts';

/** A wallet whose past is being read again, of one token. */
export interface Rescan {
  readonly assetId: number;
  readonly walletId: string;
  readonly address: Hex;
  readonly nextBlock: bigint;
  readonly toBlock: bigint;
}

/** `walletId`: only of this one. */
export async function findRescan(db: Queryable, network: Network, walletId?: string): Promise<Rescan | undefined> {
  const [row] = await db.query<Rescan>(
    `SELECT r.asset_id AS "assetId", r.wallet_id AS "walletId", w.address, r.next_block AS "nextBlock",
            r.to_block AS "toBlock"
       FROM wallet_rescans r JOIN wallets w USING (wallet_id)
      WHERE r.asset_id = ANY ($1) AND r.next_block IS NOT NULL AND ($2::uuid IS NULL OR r.wallet_id = $2)
      ORDER BY r.asked_at LIMIT 1`,
    [assetIdsOf(network), walletId ?? null],
  );
  return row;
}

/** Blocks before `next` are read. False when another worker has done it, or the wish has changed. */
export async function moveRescan(tx: Tx, rescan: Rescan, next: bigint, unclear: bigint): Promise<boolean> {
  const moved = await tx.query(
    `UPDATE wallet_rescans SET next_block = $4, unclear = unclear + $5
      WHERE asset_id = $1 AND wallet_id = $2 AND next_block = $3 RETURNING 1`,
    [rescan.assetId, rescan.walletId, rescan.nextBlock, next, unclear],
  );
  return moved.length > 0;
}

/**
 * What of a wallet's transfers was not counted when its block was applied, as seen from this wallet alone: the other side,
 * if it is ours too, was counted with that wallet or will be with its own rescan. `unclear` are coins that came from a
 * wallet of ours and are no deposit: nothing says whether they were counted here.
 */
export async function pickUncounted(
  tx: Tx,
  { assetId, walletId }: Rescan,
  seen: readonly SeenTransfer[],
  isCredited: (one: SeenTransfer) => boolean,
): Promise<{ readonly uncounted: SeenTransfer[]; readonly unclear: bigint }> {
  const hashes = [...new Set(seen.map(({ log }) => log.txHash))];
  const places = await tx.query<{ place: string }>(
    `SELECT 'in:' || tx_hash || ':' || ordinal AS place FROM deposits
      WHERE asset_id = $1 AND wallet_id = $2 AND tx_hash = ANY ($3)
     UNION ALL
     SELECT 'out:' || tx_hash || ':' || log_index FROM unexplained_moves
      WHERE asset_id = $1 AND wallet_id = $2 AND tx_hash = ANY ($3)
     UNION ALL
     SELECT 'out:' || tx_hash || ':' || log_index FROM held_logs WHERE asset_id = $1 AND tx_hash = ANY ($3)`,
    [assetId, walletId, hashes],
  );
  const known = new Set(places.map((row) => row.place));
  const uncounted: SeenTransfer[] = [];
  let unclear = 0n;
  for (const one of seen) {
    const { log, fromWallet, toWallet, move, ordinal } = one;
    const [isIn, isOut] = [toWallet === walletId, fromWallet === walletId];
    // Others' transfers, and from the wallet to itself: nothing has changed.
    if (log.amount === 0n || isIn === isOut) continue;
    if (isOut) {
      const isCounted = move?.state === 'done' || known.has(`out:${log.txHash}:${log.logIndex}`);
      if (!isCounted) uncounted.push({ ...one, toWallet: undefined });
    } else if (isCredited(one)) {
      const isCounted = known.has(`in:${log.txHash}:${ordinal}`);
      if (!isCounted) uncounted.push({ ...one, fromWallet: undefined, move: undefined });
    } else unclear += log.amount;
  }
  return { uncounted, unclear };
}

/** Everything is read. What is still missing on our side is counted as far as it was unclear; more is for reconciliation. */
export async function endRescan(app: CustodyApp, network: Network, rescan: Rescan): Promise<boolean> {
  const { assetId, walletId, address } = rescan;
  const cursor = await readCursor(app.db, network.networkId);
  const block = cursor && !cursor.part && (await network.chain.findBlock(cursor.hash as Hex));
  if (!block) return false;
  const [balance] = await network.chain.readBalances(getAsset(network, assetId).contract, [address], block);
  return app.db.tx(async (tx) => {
    if (!(await lockSame(tx, network.networkId, cursor))) return false;
    const holding = (await lockHoldings(tx, assetId, [walletId])).get(walletId)!;
    const [ended] = await tx.query<{ unclear: string }>(
      'DELETE FROM wallet_rescans WHERE asset_id = $1 AND wallet_id = $2 AND next_block = $3 RETURNING unclear::text',
      [assetId, walletId, rescan.nextBlock],
    );
    const missing = smaller(balance! - holding.coins, BigInt(ended?.unclear ?? 0));
    if (missing > 0n) await changeCoins(tx, assetId, new Map([[walletId, missing]]));
    return true;
  });
}
