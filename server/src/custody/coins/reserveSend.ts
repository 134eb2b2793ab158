import { smaller } from '../../core/bigints.ts';
import { newId } from '../../core/ids.ts';
import type { Db, Queryable, Tx } from '../../db/database.ts';
import { assetIdsOf, type Network } from '../network.ts';
import { nameRails, type Rails } from '../rail.ts';
import { freeOf, lockHoldings, readPositions, surplusOf } from './holdings.ts';
import { completeSettlements, insertMove, readMoveWallets } from './moves.ts';
import { type NetMove, netWallets } from './netWallets.ts';

export interface Send {
  readonly paymentId: string;
  readonly assetId: number;
  readonly walletId: string;
  readonly destination: string;
  readonly amount: bigint;
}

interface Backing {
  readonly reserved: bigint;
  readonly funded: bigint;
  readonly exists: boolean;
}

/**
 * Reserves the coins of a send. Its own wallet's coins come first. Missing coins are settled just in time from
 * `givers`, wallets that hold coins of others, which `fundSend` has found. A rail may carry both together if it owns
 * both; otherwise the send waits until the coins have arrived. Returns false when there are not enough coins; then
 * nothing was reserved. Repeating it is harmless: it only adds the missing part.
 *
 * The caller locks the payment's row. This function locks the wallets after it.
 */
export async function reserveSend(tx: Tx, rails: Rails, send: Send, givers: readonly string[]): Promise<boolean> {
  const { paymentId, assetId, walletId, amount } = send;
  const backing = await readBacking(tx, paymentId);
  const lacking = amount - backing.reserved - backing.funded;
  if (lacking <= 0n) return true;
  const [seen] = await tx.query<{ free: bigint }>(
    'SELECT coins - reserved AS free FROM holdings WHERE asset_id = $1 AND wallet_id = $2',
    [assetId, walletId],
  );
  const taken = smaller(seen?.free ?? 0n, lacking);
  const moves = taken === lacking ? [] : await findFunding(tx, send, givers, lacking - taken);
  if (!moves) return false;
  // The positions read above may have changed. Only locked rows count.
  const locked = await lockHoldings(tx, assetId, [walletId, ...moves.map((move) => move.from)]);
  const isThere = (id: string, wanted: bigint) => freeOf(locked.get(id)!) >= wanted;
  if (!isThere(walletId, taken) || !moves.every((move) => isThere(move.from, move.amount))) return false;
  await reserve(tx, rails, send, backing, taken);
  if (moves.length > 0) await settleForSend(tx, rails, send, moves, paymentId);
  return true;
}

/**
 * Settles the missing coins of a send into its wallet, from any number of wallets and in amounts too small for a normal
 * move. Nothing is reserved for the send in the meantime: it waits until the coins have arrived. Coins in progress
 * count, so repeating it never moves more than is missing.
 */
export async function gatherCoins(tx: Tx, rails: Rails, send: Send, givers: readonly string[]): Promise<void> {
  await lockHoldings(tx, send.assetId, [send.walletId, ...givers]);
  const missing = await readMissing(tx, send);
  if (missing <= 0n) return;
  const moves = await planFunding(tx, send, givers, missing);
  if (moves.length > 0) await settleForSend(tx, rails, send, moves);
}

/** Returns the coins that a send lacks after everything in progress to its wallet has arrived. */
export async function readMissing(db: Queryable, { paymentId, assetId, walletId, amount }: Send): Promise<bigint> {
  const [row] = await db.query<{ there: bigint }>(
    `SELECT coalesce((SELECT reserved FROM coin_moves WHERE move_id = $1), 0)
          + coalesce((SELECT coins - reserved + incoming FROM holdings WHERE asset_id = $2 AND wallet_id = $3), 0) AS there`,
    [paymentId, assetId, walletId],
  );
  return amount - row!.there;
}

/** SQL: two people must decide about move `f`, which may take days, so no send waits for its coins. */
const IS_HELD = `EXISTS (SELECT FROM provider_transfers h
  WHERE h.move_id = f.move_id AND h.held_at IS NOT NULL AND h.provider_state NOT IN ('failed', 'cancelled'))`;

async function readBacking(tx: Tx, paymentId: string): Promise<Backing> {
  const [row] = await tx.query<{ reserved: bigint; funded: bigint }>(
    `SELECT m.reserved, (SELECT coalesce(sum(f.amount), 0)::bigint FROM coin_moves f
                          WHERE f.funds = m.move_id AND f.state = 'open' AND NOT ${IS_HELD}) AS funded
       FROM coin_moves m WHERE m.move_id = $1`,
    [paymentId],
  );
  return row ? { ...row, exists: true } : { reserved: 0n, funded: 0n, exists: false };
}

async function reserve(tx: Tx, rails: Rails, send: Send, backing: Backing, taken: bigint): Promise<void> {
  const { paymentId, assetId, walletId, destination, amount } = send;
  if (backing.exists) {
    await tx.query('UPDATE coin_moves SET reserved = reserved + $2 WHERE move_id = $1', [paymentId, taken]);
    return;
  }
  const wallets = await readMoveWallets(tx, nameRails(rails), [walletId]);
  const from = wallets.get(walletId)!;
  await insertMove(tx, { moveId: paymentId, assetId, from, toAddress: destination, amount, reserved: taken });
}

/** Lists sends that lost their backing: a settlement that was to fund them died, or an unexplained move took coins. */
export const listLacking = (db: Queryable, network: Network): Promise<Send[]> =>
  db.query<Send>(
    `SELECT move_id AS "paymentId", asset_id AS "assetId", wallet_id AS "walletId", to_address AS destination, amount
       FROM coin_moves m
      WHERE asset_id = ANY ($1) AND state = 'open' AND purpose = 'send' AND cancel_wanted_at IS NULL AND reserved < amount
        AND amount > reserved + (SELECT coalesce(sum(f.amount), 0) FROM coin_moves f
                                  WHERE f.funds = m.move_id AND f.state = 'open' AND NOT ${IS_HELD})
      ORDER BY created_at LIMIT 50`,
    [assetIdsOf(network)],
  );

/**
 * Handles settlements that lost their reservation because of an unexplained move, or because a reorg removed the move.
 * They get their coins again if there are enough. Otherwise a settlement that was never signed or handed over ends. One
 * that was ends when its signature has expired (`findDead`).
 */
export async function reserveSettlements(db: Db, network: Network): Promise<void> {
  const lacking = await db.query<{ move_id: string; asset_id: number; wallet_id: string; to_wallet: string }>(
    `SELECT move_id, asset_id, wallet_id, to_wallet FROM coin_moves
      WHERE asset_id = ANY ($1) AND state = 'open' AND purpose = 'settlement' AND reserved < amount
      ORDER BY created_at LIMIT 50`,
    [assetIdsOf(network)],
  );
  for (const { move_id: moveId, asset_id: assetId, wallet_id: from, to_wallet: to } of lacking) {
    await db.tx(async (tx) => {
      const holding = (await lockHoldings(tx, assetId, [from, to])).get(from)!;
      const [ended] = await tx.query<{ settlement_id: string }>(
        `UPDATE coin_moves SET reserved = CASE WHEN amount - reserved <= $2 THEN amount ELSE 0 END,
                state = CASE WHEN amount - reserved <= $2 THEN 'open' ELSE 'dead' END
          WHERE move_id = $1 AND state = 'open' AND (amount - reserved <= $2 OR started_at IS NULL)
         RETURNING settlement_id`,
        [moveId, freeOf(holding)],
      );
      if (ended) await completeSettlements(tx, [ended.settlement_id]);
    });
  }
}

/** Plans how much to take from each giver, from its current surplus. Undefined: too little. */
async function findFunding(
  tx: Tx,
  send: Send,
  givers: readonly string[],
  missing: bigint,
): Promise<readonly NetMove[] | undefined> {
  const moves = await planFunding(tx, send, givers, missing);
  const found = moves.reduce((sum, move) => sum + move.amount, 0n);
  return found < missing ? undefined : moves;
}

/** The same, even if it is too little. */
async function planFunding(
  tx: Tx,
  send: Send,
  givers: readonly string[],
  missing: bigint,
): Promise<readonly NetMove[]> {
  const positions = await readPositions(tx, send.assetId, givers);
  const current = await findCurrentWallet(tx, send);
  const kept = current === undefined ? 0n : await readKept(tx, send, current);
  const nets = positions
    .map((one) => ({
      walletId: one.walletId,
      surplus: surplusOf(one) + (one.walletId === current ? kept : 0n),
      free: freeOf(one),
    }))
    .filter(({ walletId, surplus }) => walletId !== send.walletId && surplus > 0n);
  return netWallets([...nets, { walletId: send.walletId, surplus: -missing, free: 0n }]).moves;
}

/**
 * The wallet that holds the coins of the send's payer now; undefined: the send's own. Payers have moved to another wallet
 * while the send waited, and settlement has moved its coins there too.
 */
export async function findCurrentWallet(db: Queryable, { assetId, walletId }: Send): Promise<string | undefined> {
  const [row] = await db.query<{ current: string }>(
    `WITH payer AS (SELECT user_id FROM wallets WHERE wallet_id = $2)
     SELECT o.wallet_id AS current FROM payer JOIN owner_wallets o USING (user_id)
      WHERE o.asset_id = $1 AND o.wallet_id <> $2
     UNION ALL
     SELECT o.wallet_id FROM payer JOIN owner_wallets o ON payer.user_id IS NULL AND o.kind = 'treasury'
      WHERE o.asset_id = $1 AND o.wallet_id <> $2`,
    [assetId, walletId],
  );
  return row?.current;
}

/**
 * The amount that the payer's current wallet is owed for sends from their other wallets: this send, and those that have
 * coins reserved.
 */
async function readKept(tx: Tx, { paymentId, assetId, amount }: Send, current: string): Promise<bigint> {
  const [row] = await tx.query<{ kept: bigint }>(
    `SELECT coalesce(sum(m.amount), 0)::bigint AS kept FROM coin_moves m JOIN wallets w USING (wallet_id)
      WHERE m.asset_id = $2 AND m.state = 'open' AND m.purpose = 'send' AND m.wallet_id <> $1 AND m.move_id <> $3
        AND w.user_id IS NOT DISTINCT FROM (SELECT c.user_id FROM wallets c WHERE c.wallet_id = $1)`,
    [current, assetId, paymentId],
  );
  return row!.kept + amount;
}

/** `funds`: the send's id, if these coins are reserved for it as soon as they arrive. */
async function settleForSend(
  tx: Tx,
  rails: Rails,
  send: Send,
  moves: readonly NetMove[],
  funds?: string,
): Promise<void> {
  const settlementId = newId();
  await tx.query('INSERT INTO settlements (settlement_id, asset_id) VALUES ($1, $2)', [settlementId, send.assetId]);
  const wallets = await readMoveWallets(tx, nameRails(rails), [send.walletId, ...moves.map((move) => move.from)]);
  for (const move of moves) {
    await insertMove(tx, {
      moveId: newId(),
      assetId: send.assetId,
      from: wallets.get(move.from)!,
      toAddress: wallets.get(send.walletId)!.address,
      amount: move.amount,
      reserved: move.amount,
      settlement: { settlementId, toWallet: send.walletId, ...(funds !== undefined && { funds }) },
    });
  }
}
