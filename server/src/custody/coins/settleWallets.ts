import { newId } from '../../core/ids.ts';
import type { Hex } from '../../core/ports.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { isSigningPaused } from '../../operators/pauses.ts';
import type { Network, NetworkAsset } from '../network.ts';
import { type CustodyApp, nameRails, type Rails } from '../rail.ts';
import { askAgain, askToken } from './blockedWallets.ts';
import { freeOf, lockHoldings, readPositions, surplusOf } from './holdings.ts';
import { followLedger } from './keptPositions.ts';
import { insertMove, readMoveWallets } from './moves.ts';
import { netWallets } from './netWallets.ts';
import { IS_REFUSED, tryRefusedAgain } from './refusedWallets.ts';

interface Settled {
  readonly transfers: number;
  readonly amount: bigint;
}

/** Wallets per side in one commit, the largest first. They are locked while it plans. */
const SIDE = 250;
/** If more wallets than this cannot be settled, the run does not count as a settlement of anything. */
const MAX_LEFT_OUT = 100;

/**
 * Nets the differences between wallets after any number of user payments, and reserves the coins for moves that bring
 * each wallet's coins to the amount that its owner is owed. It records up to which ledger position it settles; payments
 * are never rewritten. It only considers wallets whose difference is worth a move (`settleMin`), and locks only those
 * whose coins move.
 */
export async function settleWallets(
  app: Pick<CustodyApp, 'db' | 'rails'>,
  network: Network,
  asset: NetworkAsset,
): Promise<Settled> {
  const settled = { transfers: 0, amount: 0n };
  if (await isSigningPaused(app.db, network.chain.blockchain)) return settled;
  const seq = await followLedger(app.db);
  await askAgain(app.db, network, asset);
  await tryRefusedAgain(app.db, asset.assetId);
  const least = network.settings.settleMin > 0n ? network.settings.settleMin : 1n;
  for (;;) {
    const { uneven, isAll } = await listUneven(app.db, asset.assetId, least);
    if (uneven.length === 0) {
      await noteEven(app.db, asset.assetId, seq, least);
      return settled;
    }
    const { isPaused, blocked } = await askToken(app.db, network, asset, uneven);
    if (isPaused) return settled;
    const walletIds = uneven.map((one) => one.walletId).filter((id) => !blocked.has(id));
    const made = await app.db.tx((tx) => settleSome(tx, app.rails, asset, { walletIds, isAll, seq, least }));
    settled.transfers += made.transfers;
    settled.amount += made.amount;
    if (isAll || made.transfers === 0) return settled;
  }
}

interface Uneven {
  readonly walletId: string;
  readonly address: Hex;
}

/** Lists the wallets with the largest surpluses and the largest deficits, by the stored positions. */
async function listUneven(
  db: Queryable,
  assetId: number,
  least: bigint,
): Promise<{ uneven: Uneven[]; isAll: boolean }> {
  const list = (where: string, order: string) =>
    db.query<Uneven>(
      `SELECT h.wallet_id AS "walletId", w.address FROM holdings h JOIN wallets w USING (wallet_id)
        WHERE h.asset_id = $1 AND h.surplus <> 0 AND h.blocked_at IS NULL AND ${where} ORDER BY h.surplus ${order} LIMIT $3`,
      [assetId, least, SIDE],
    );
  const givers = await list(`h.surplus >= $2 AND NOT ${IS_REFUSED}`, 'DESC');
  const takers = await list('h.surplus <= -$2::bigint', 'ASC');
  return { uneven: [...givers, ...takers], isAll: givers.length < SIDE && takers.length < SIDE };
}

interface Plan {
  readonly walletIds: readonly string[];
  readonly isAll: boolean;
  readonly seq: bigint;
  readonly least: bigint;
}

async function settleSome(tx: Tx, rails: Rails, { assetId }: NetworkAsset, plan: Plan): Promise<Settled> {
  const net = async (ids: readonly string[]) => {
    const positions = await readPositions(tx, assetId, ids);
    const nets = positions.map((one) => ({ walletId: one.walletId, surplus: surplusOf(one), free: freeOf(one) }));
    return netWallets(nets, plan.least);
  };
  const wanted = await net(plan.walletIds);
  const ids = [...new Set(wanted.moves.flatMap((move) => [move.from, move.to]))];
  // The positions read above may have changed. Only locked rows count.
  await lockHoldings(tx, assetId, ids);
  const { moves, left } = await net(ids);
  if (moves.length === 0) return { transfers: 0, amount: 0n };
  const settlementId = newId();
  const leftOut = [...new Set([...left, ...wanted.left, ...(await listBlocked(tx, assetId, plan.least))])];
  // The remaining wallets are settled next time. If there are too many of them, it is not worth recording which ones:
  // nothing counts as settled.
  const covers = plan.isAll && leftOut.length <= MAX_LEFT_OUT;
  await tx.query(
    `INSERT INTO settlements (settlement_id, asset_id, covers_seq, leaves, left_out)
     SELECT $1, $2, $3, $4, coalesce(array_agg(a.account_id), '{}')
       FROM owner_wallets w JOIN accounts a USING (asset_id, user_id) WHERE w.asset_id = $2 AND w.wallet_id = ANY ($5)`,
    [settlementId, assetId, covers ? plan.seq : null, plan.least - 1n, covers ? leftOut : []],
  );
  const known = await readMoveWallets(tx, nameRails(rails), ids);
  for (const move of moves) {
    await insertMove(tx, {
      moveId: newId(),
      assetId,
      from: known.get(move.from)!,
      toAddress: known.get(move.to)!.address,
      amount: move.amount,
      reserved: move.amount,
      settlement: { settlementId, toWallet: move.to },
    });
  }
  return { transfers: moves.length, amount: moves.reduce((sum, move) => sum + move.amount, 0n) };
}

const listBlocked = async (tx: Tx, assetId: number, least: bigint): Promise<string[]> =>
  (
    await tx.query<{ wallet_id: string }>(
      `SELECT wallet_id FROM holdings h
        WHERE asset_id = $1 AND (blocked_at IS NOT NULL OR ${IS_REFUSED}) AND abs(surplus) >= $2 LIMIT $3`,
      [assetId, least, MAX_LEFT_OUT + 1],
    )
  ).map((row) => row.wallet_id);

/** No wallet that may move has a difference: payments that cancel each other out are settled too, without a move. */
async function noteEven(db: Queryable, assetId: number, seq: bigint, least: bigint): Promise<void> {
  await db.query(
    `INSERT INTO settlements (settlement_id, asset_id, covers_seq, leaves, completed_at)
     SELECT $1, $2, $3, $4::bigint, date_trunc('milliseconds', clock_timestamp()) FROM asset_positions a
      WHERE a.asset_id = $2
        AND a.paid_seq >= (SELECT coalesce(max(covers_seq), 0) FROM settlements WHERE asset_id = $2)
        AND NOT EXISTS (SELECT FROM settlements WHERE asset_id = $2 AND completed_at IS NULL)
        AND NOT EXISTS (SELECT FROM holdings h
              WHERE asset_id = $2 AND (blocked_at IS NOT NULL OR ${IS_REFUSED}) AND abs(surplus) > $4::bigint)`,
    [newId(), assetId, seq, least - 1n],
  );
}
