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
 * Reserves the coins of a send: its own wallet's first; what is missing there is settled just in time from wallets that
 * hold coins of others: `givers`, which `fundSend` has found. A rail may carry both together when they are its own;
 * otherwise the send waits until the coins have arrived. Answers false when there are not enough; then nothing was
 * reserved. Repeating it is harmless: it only adds what lacks.
 *
 * The payment's row is locked by the caller. Wallets are locked here, after it.
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
  // What was seen above may be gone by now; only what is locked counts.
  const locked = await lockHoldings(tx, assetId, [walletId, ...moves.map((move) => move.from)]);
  const isThere = (id: string, wanted: bigint) => freeOf(locked.get(id)!) >= wanted;
  if (!isThere(walletId, taken) || !moves.every((move) => isThere(move.from, move.amount))) return false;
  await reserve(tx, rails, send, backing, taken);
  if (moves.length > 0) await settleForSend(tx, rails, send, moves, paymentId);
  return true;
}

/**
 * Settles into the wallet of a send what it lacks, from any number of wallets and in amounts that would not be worth a move
 * otherwise. Nothing is reserved for the send meanwhile: it waits until the coins have arrived. The coins under way count,
 * so repeating it moves no more than it lacks.
 */
export async function gatherCoins(tx: Tx, rails: Rails, send: Send, givers: readonly string[]): Promise<void> {
  await lockHoldings(tx, send.assetId, [send.walletId, ...givers]);
  const missing = await readMissing(tx, send);
  if (missing <= 0n) return;
  const moves = await planFunding(tx, send, givers, missing);
  if (moves.length > 0) await settleForSend(tx, rails, send, moves);
}

/** What a send lacks when everything under way to its wallet has arrived. */
export async function readMissing(db: Queryable, { paymentId, assetId, walletId, amount }: Send): Promise<bigint> {
  const [row] = await db.query<{ there: bigint }>(
    `SELECT coalesce((SELECT reserved FROM coin_moves WHERE move_id = $1), 0)
          + coalesce((SELECT coins - reserved + incoming FROM holdings WHERE asset_id = $2 AND wallet_id = $3), 0) AS there`,
    [paymentId, assetId, walletId],
  );
  return amount - row!.there;
}

/** SQL: people decide what became of move `f`, which may take days: no send waits for its coins. */
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

/** Sends whose backing fell away: a settlement that was to fund them died, or coins left without an explanation. */
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
 * Settlements whose reservation fell away, because coins left without an explanation or a reorg took back the move: they
 * get their coins again if these are there. Otherwise, if nobody outside has heard of one, it ends; if somebody has, it
 * ends when what was signed has lapsed (`findDead`).
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

/** What to take from each of the givers, by what they have beyond what their owners are owed now. Undefined: too little. */
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

/** The same, also when that is too little. */
async function planFunding(
  tx: Tx,
  send: Send,
  givers: readonly string[],
  missing: bigint,
): Promise<readonly NetMove[]> {
  const positions = await readPositions(tx, send.assetId, givers);
  const nets = positions
    .filter((one) => one.walletId !== send.walletId && surplusOf(one) > 0n)
    .map((one) => ({ walletId: one.walletId, surplus: surplusOf(one), free: freeOf(one) }));
  return netWallets([...nets, { walletId: send.walletId, surplus: -missing, free: 0n }]).moves;
}

/** `funds`: the send's id, when these coins are reserved for it as soon as they arrive. */
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
