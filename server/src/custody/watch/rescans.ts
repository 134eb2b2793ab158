import { smaller } from '../../core/bigints.ts';
import type { Hex } from '../../core/ports.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { lockHoldings } from '../coins/holdings.ts';
import { changeCoins } from '../coins/moveCoins.ts';
import { type KnownMove, MOVE_COLUMNS } from '../coins/moves.ts';
import { subjectOf } from '../coins/pauseOnDrift.ts';
import { assetIdsOf, getAsset, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { lockSame, readCursor } from './cursor.ts';
import type { SeenTransfer } from './matchLogs.ts';
import { COUNTED } from './newWallets.ts';

/** A rescan of a wallet's history, for one token. */
export interface Rescan {
  readonly assetId: number;
  readonly walletId: string;
  readonly address: Hex;
  readonly nextBlock: bigint;
  readonly toBlock: bigint;
}

interface OpenRescan {
  readonly walletId: string;
  readonly nextBlock: bigint;
  readonly toBlock: bigint;
  /** Why the last attempt failed. */
  readonly fault: string | null;
}

/** For operators: the wallets of a token that are being rescanned. */
export const listRescans = (db: Queryable, assetId: number): Promise<OpenRescan[]> =>
  db.query<OpenRescan>(
    `SELECT wallet_id AS "walletId", next_block AS "nextBlock", to_block AS "toBlock", fault FROM wallet_rescans
      WHERE asset_id = $1 AND next_block IS NOT NULL ORDER BY asked_at`,
    [assetId],
  );

/** `walletId`: only this wallet, even if it failed a moment ago. */
export async function findRescan(db: Queryable, network: Network, walletId?: string): Promise<Rescan | undefined> {
  const [row] = await db.query<Rescan>(
    `SELECT r.asset_id AS "assetId", r.wallet_id AS "walletId", w.address, r.next_block AS "nextBlock",
            r.to_block AS "toBlock"
       FROM wallet_rescans r JOIN wallets w USING (wallet_id)
      WHERE r.asset_id = ANY ($1) AND r.next_block IS NOT NULL
        AND CASE WHEN $2::uuid IS NULL THEN coalesce(r.retry_at <= clock_timestamp(), true) ELSE r.wallet_id = $2 END
      ORDER BY r.asked_at LIMIT 1`,
    [assetIdsOf(network), walletId ?? null],
  );
  return row;
}

/**
 * Nodes may not have the logs of old blocks. The rescan is tried again later, and the watcher continues in the
 * meantime.
 */
export async function postponeRescan(db: Queryable, { assetId, walletId }: Rescan, fault: Error): Promise<void> {
  await db.query(
    `UPDATE wallet_rescans SET fault = left($3, 500), retry_at = clock_timestamp() + interval '1 minute'
      WHERE asset_id = $1 AND wallet_id = $2`,
    [assetId, walletId, fault.message],
  );
}

/** Blocks before `next` are read. Returns false when another worker has done it, or the request has changed. */
export async function moveRescan(tx: Tx, rescan: Rescan, next: bigint, unclear: bigint): Promise<boolean> {
  const moved = await tx.query(
    `UPDATE wallet_rescans SET next_block = $4, unclear = unclear + $5, fault = NULL, retry_at = NULL
      WHERE asset_id = $1 AND wallet_id = $2 AND next_block = $3 RETURNING 1`,
    [rescan.assetId, rescan.walletId, rescan.nextBlock, next, unclear],
  );
  return moved.length > 0;
}

interface SeenOnce {
  readonly seen: readonly SeenTransfer[];
  readonly heldNow: readonly SeenTransfer[];
  /** Moves that were just recorded as ended: their transfers are not counted yet. */
  readonly recovered: ReadonlySet<string>;
}

/**
 * Returns the wallet's transfers that were not counted when their block was applied, for this wallet only: if the other
 * side is ours too, it was counted with that wallet or will be with its own rescan. `unclear` are coins that came from
 * one of our wallets and are not a deposit: it is unknown whether they were counted here.
 */
export async function pickUncounted(
  tx: Tx,
  { assetId, walletId }: Rescan,
  seenOnce: SeenOnce,
  isCredited: (one: SeenTransfer) => boolean,
): Promise<{ readonly uncounted: SeenTransfer[]; readonly unclear: bigint }> {
  const seen = await nameFinished(tx, assetId, [...seenOnce.seen, ...seenOnce.heldNow]);
  const hashes = [...new Set(seen.map(({ log }) => log.txHash))];
  const places = await tx.query<{ place: string }>(
    `SELECT CASE WHEN log_index IS NULL THEN 'nth:' || tx_hash || ':' || ordinal
                 ELSE 'in:' || tx_hash || ':' || log_index END AS place FROM deposits
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
    // Transfers of others, and from the wallet to itself, change nothing.
    if (log.amount === 0n || isIn === isOut) continue;
    if (isOut) {
      const wasDone = move?.state === 'done' && !seenOnce.recovered.has(move.moveId);
      const isCounted = wasDone || known.has(`out:${log.txHash}:${log.logIndex}`);
      if (!isCounted) uncounted.push({ ...one, toWallet: undefined });
    } else if (isCredited(one)) {
      // Deposits of older releases store only their ordinal among those to this wallet.
      const isCounted = known.has(`in:${log.txHash}:${log.logIndex}`) || known.has(`nth:${log.txHash}:${ordinal}`);
      if (!isCounted) uncounted.push({ ...one, fromWallet: undefined, move: undefined });
    } else unclear += log.amount;
  }
  return { uncounted, unclear };
}

/**
 * Nothing on the chain identifies a provider's moves, so ended moves are no longer identified. They are recognized by
 * chain transaction, destination and amount; each matches one transfer.
 */
async function nameFinished(tx: Tx, assetId: number, seen: readonly SeenTransfer[]): Promise<SeenTransfer[]> {
  const finished = await tx.query<KnownMove & { tx_hash: string; to: string }>(
    `SELECT ${MOVE_COLUMNS}, m.tx_hash, lower(m.to_address) AS to FROM coin_moves m
      WHERE m.asset_id = $1 AND m.rail = 'provider' AND m.state = 'done' AND m.wallet_id = ANY ($2) AND m.tx_hash = ANY ($3)`,
    [assetId, seen.flatMap((one) => one.fromWallet ?? []), seen.map(({ log }) => log.txHash)],
  );
  const left = new Set(finished);
  return seen.map((one) => {
    const { log, fromWallet } = one;
    const found = [...left].find(
      (row) =>
        row.tx_hash === log.txHash &&
        row.walletId === fromWallet &&
        row.to === log.to.toLowerCase() &&
        row.amount === log.amount,
    );
    if (!found || one.move) return one;
    left.delete(found);
    const { tx_hash: _hash, to: _to, ...move } = found;
    return { ...one, move, isHeld: false };
  });
}

/**
 * All blocks are read. Coins that are still missing in our count are added, up to the unclear amount. Any further
 * difference is left to reconciliation.
 */
export async function endRescan(app: CustodyApp, network: Network, rescan: Rescan): Promise<boolean> {
  const { assetId, walletId, address } = rescan;
  const cursor = await readCursor(app.db, network.networkId);
  const block = cursor && !cursor.part && (await network.chain.findBlock(cursor.hash as Hex));
  if (!block) return false;
  const [balance] = await network.chain.readBalances(getAsset(network, assetId).contract, [address], block);
  return app.db.tx(async (tx) => {
    if (!(await lockSame(tx, network.networkId, cursor))) return false;
    await lockHoldings(tx, assetId, [walletId]);
    const [now] = await tx.query<{ counted: bigint; surplus: bigint }>(
      `SELECT ${COUNTED} AS counted, coalesce((SELECT greatest(difference, 0) FROM drifts
                WHERE asset_id = $1 AND subject = $3), 0)::bigint AS surplus FROM (SELECT $2::uuid) AS one(w)`,
      [assetId, walletId, subjectOf(walletId)],
    );
    const [ended] = await tx.query<{ unclear: string }>(
      'DELETE FROM wallet_rescans WHERE asset_id = $1 AND wallet_id = $2 AND next_block = $3 RETURNING unclear::text',
      [assetId, walletId, rescan.nextBlock],
    );
    // A surplus from before the rescan is still a surplus.
    const missing = smaller(balance! - now!.counted - now!.surplus, BigInt(ended?.unclear ?? 0));
    if (missing > 0n) await changeCoins(tx, assetId, new Map([[walletId, missing]]));
    return true;
  });
}
