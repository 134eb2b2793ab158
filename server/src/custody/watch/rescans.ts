import { smaller } from '../../core/bigints.ts';
import type { Hex } from '../../core/ports.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { subjectOf } from '../coins/breakOnDrift.ts';
import { lockHoldings } from '../coins/holdings.ts';
import { changeCoins } from '../coins/moveCoins.ts';
import { type KnownMove, MOVE_COLUMNS } from '../coins/moves.ts';
import { assetIdsOf, getAsset, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { lockSame, readCursor } from './cursor.ts';
import type { SeenTransfer } from './matchLogs.ts';
import { COUNTED } from './newWallets.ts';

/** A wallet whose past is being read again, of one token. */
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
  /** Why it could not be read the last time. */
  readonly fault: string | null;
}

/** For people: the wallets of a token that are being read again. */
export const listRescans = (db: Queryable, assetId: number): Promise<OpenRescan[]> =>
  db.query<OpenRescan>(
    `SELECT wallet_id AS "walletId", next_block AS "nextBlock", to_block AS "toBlock", fault FROM wallet_rescans
      WHERE asset_id = $1 AND next_block IS NOT NULL ORDER BY asked_at`,
    [assetId],
  );

/** `walletId`: only of this one, also if it failed a moment ago. */
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

/** Nodes may not have the logs of old blocks. It is tried again later, and the watcher goes on meanwhile. */
export async function postponeRescan(db: Queryable, { assetId, walletId }: Rescan, fault: Error): Promise<void> {
  await db.query(
    `UPDATE wallet_rescans SET fault = left($3, 500), retry_at = clock_timestamp() + interval '1 minute'
      WHERE asset_id = $1 AND wallet_id = $2`,
    [assetId, walletId, fault.message],
  );
}

/** Blocks before `next` are read. False when another worker has done it, or the wish has changed. */
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
  /** Moves that were written down as ended a moment ago: their transfers are not counted. */
  readonly learned: ReadonlySet<string>;
}

/**
 * What of a wallet's transfers was not counted when its block was applied, as seen from this wallet alone: the other side,
 * if it is ours too, was counted with that wallet or will be with its own rescan. `unclear` are coins that came from a
 * wallet of ours and are no deposit: nothing says whether they were counted here.
 */
export async function pickUncounted(
  tx: Tx,
  { assetId, walletId }: Rescan,
  look: SeenOnce,
  isCredited: (one: SeenTransfer) => boolean,
): Promise<{ readonly uncounted: SeenTransfer[]; readonly unclear: bigint }> {
  const seen = await nameFinished(tx, assetId, [...look.seen, ...look.heldNow]);
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
    // Others' transfers, and from the wallet to itself: nothing has changed.
    if (log.amount === 0n || isIn === isOut) continue;
    if (isOut) {
      const wasDone = move?.state === 'done' && !look.learned.has(move.moveId);
      const isCounted = wasDone || known.has(`out:${log.txHash}:${log.logIndex}`);
      if (!isCounted) uncounted.push({ ...one, toWallet: undefined });
    } else if (isCredited(one)) {
      // Deposits of older releases only say which they were of those to this wallet.
      const isCounted = known.has(`in:${log.txHash}:${log.logIndex}`) || known.has(`nth:${log.txHash}:${ordinal}`);
      if (!isCounted) uncounted.push({ ...one, fromWallet: undefined, move: undefined });
    } else unclear += log.amount;
  }
  return { uncounted, unclear };
}

/**
 * Nothing on the chain names a provider's moves, so those that have ended are not identified any more. They are told by
 * what they moved, in which chain transaction; each is one transfer.
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

/** Everything is read. What is still missing on our side is counted as far as it was unclear; more is for reconciliation. */
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
    // What was too much before the wallet was read is still too much.
    const missing = smaller(balance! - now!.counted - now!.surplus, BigInt(ended?.unclear ?? 0));
    if (missing > 0n) await changeCoins(tx, assetId, new Map([[walletId, missing]]));
    return true;
  });
}
