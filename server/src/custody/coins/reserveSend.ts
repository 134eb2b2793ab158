import { smaller } from '../../core/bigints.ts';
import { newId } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import { insertAuthorization, readAddresses } from '../eip3009/authorizations.ts';
import { freeOf, lockHoldings, readPositions, surplusOf } from './holdings.ts';
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
 * Promises the coins of a send: its own wallet's first; what is missing there is settled just in time from wallets
 * that hold coins of others, carried in front of the send. Answers false when the coins are still on their way; then
 * nothing was promised, and it is tried again. Repeating it is harmless: it only adds what lacks.
 *
 * The payment's row is locked by the caller. Wallets are locked here, after it.
 */
export async function reserveSend(tx: Tx, send: Send): Promise<boolean> {
  const { paymentId, assetId, walletId, amount } = send;
  const backing = await readBacking(tx, paymentId);
  const lacking = amount - backing.reserved - backing.funded;
  if (lacking <= 0n) return true;
  const [seen] = await tx.query<{ free: bigint }>(
    'SELECT coins - reserved AS free FROM holdings WHERE asset_id = $1 AND wallet_id = $2',
    [assetId, walletId],
  );
  const taken = smaller(seen?.free ?? 0n, lacking);
  const moves = taken === lacking ? [] : await findFunding(tx, send, lacking - taken);
  if (!moves) return false;
  // What was seen above may be gone by now; only what is locked counts.
  const locked = await lockHoldings(tx, assetId, [walletId, ...moves.map((move) => move.from)]);
  const isThere = (id: string, wanted: bigint) => freeOf(locked.get(id)!) >= wanted;
  if (!isThere(walletId, taken) || !moves.every((move) => isThere(move.from, move.amount))) return false;
  await promise(tx, send, backing, taken);
  if (moves.length > 0) await settleJustInTime(tx, send, moves);
  return true;
}

async function readBacking(tx: Tx, paymentId: string): Promise<Backing> {
  const [row] = await tx.query<{ reserved: bigint; funded: bigint }>(
    `SELECT a.reserved, (SELECT coalesce(sum(f.value), 0)::bigint FROM authorizations f
                          WHERE f.funds = a.authorization_id AND f.state = 'open') AS funded
       FROM authorizations a WHERE a.authorization_id = $1`,
    [paymentId],
  );
  return row ? { ...row, exists: true } : { reserved: 0n, funded: 0n, exists: false };
}

async function promise(tx: Tx, send: Send, backing: Backing, taken: bigint): Promise<void> {
  if (backing.exists) {
    await tx.query('UPDATE authorizations SET reserved = reserved + $2 WHERE authorization_id = $1', [
      send.paymentId,
      taken,
    ]);
    return;
  }
  const addresses = await readAddresses(tx, [send.walletId]);
  await insertAuthorization(tx, {
    authorizationId: send.paymentId,
    assetId: send.assetId,
    walletId: send.walletId,
    fromAddress: addresses.get(send.walletId)!,
    toAddress: send.destination,
    value: send.amount,
    reserved: taken,
  });
}

/** Legs of a carrier in front of one send. */
const MAX_SOURCES = 20;

/** Wallets with coins beyond what their owners are owed, the richest first, and what to take from each. */
async function findFunding(tx: Tx, send: Send, missing: bigint): Promise<NetMove[] | undefined> {
  const { positions } = await readPositions(tx, send.assetId);
  const givers = positions
    .filter((one) => one.walletId !== send.walletId && surplusOf(one) > 0n && freeOf(one) > 0n)
    .map((one) => ({ walletId: one.walletId, surplus: surplusOf(one), free: freeOf(one) }));
  const moves = netWallets([...givers, { walletId: send.walletId, surplus: -missing, free: 0n }]);
  const found = moves.reduce((sum, move) => sum + move.amount, 0n);
  return found < missing || moves.length > MAX_SOURCES ? undefined : moves;
}

async function settleJustInTime(tx: Tx, send: Send, moves: readonly NetMove[]): Promise<void> {
  const settlementId = newId();
  await tx.query('INSERT INTO settlements (settlement_id, asset_id) VALUES ($1, $2)', [settlementId, send.assetId]);
  const addresses = await readAddresses(tx, [send.walletId, ...moves.map((move) => move.from)]);
  for (const move of moves) {
    await insertAuthorization(tx, {
      authorizationId: newId(),
      assetId: send.assetId,
      walletId: move.from,
      fromAddress: addresses.get(move.from)!,
      toAddress: addresses.get(send.walletId)!,
      value: move.amount,
      reserved: move.amount,
      settlement: { settlementId, toWallet: send.walletId, funds: send.paymentId },
    });
  }
}
