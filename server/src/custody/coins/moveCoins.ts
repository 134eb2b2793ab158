import { smaller } from '../../core/bigints.ts';
import type { Tx } from '../../db/database.ts';
import type { Network } from '../network.ts';
import { isUnexplained, type SeenTransfer } from '../watch/matchLogs.ts';
import { recordUnexplained } from '../watch/unexplainedMoves.ts';
import { lockHoldings } from './holdings.ts';
import { keepPositions } from './keptPositions.ts';
import { completeSettlements } from './moves.ts';
import { forgetRefusals } from './refusedWallets.ts';

/**
 * Applies final transfers to `holdings`: completes the moves that happened, ends their reservations, and updates the
 * coins to match the chain. Must run last in its database transaction, because wallets are locked after payments and
 * accounts.
 */
export async function moveCoins(
  tx: Tx,
  network: Network,
  assetId: number,
  seen: readonly SeenTransfer[],
): Promise<void> {
  const changes = new Map<string, bigint>();
  const change = (walletId: string | undefined, by: bigint) => {
    if (walletId !== undefined) changes.set(walletId, (changes.get(walletId) ?? 0n) + by);
  };
  for (const { log, fromWallet, toWallet } of seen) {
    change(fromWallet, -log.amount);
    change(toWallet, log.amount);
  }
  if (changes.size === 0) return;
  await lockHoldings(tx, assetId, [...changes.keys()]);
  await endDone(tx, assetId, seen);
  await changeCoins(tx, assetId, changes);
  await passFunding(tx, seen);
  await recordUnexplained(tx, network, assetId, seen.filter(isUnexplained));
}

/**
 * The caller locks the wallets. Reservations without coins are reduced. The coins and the amount owed change together,
 * so that no false surplus shows.
 */
export async function changeCoins(tx: Tx, assetId: number, changes: ReadonlyMap<string, bigint>): Promise<void> {
  for (const [walletId, by] of changes) if (by < 0n) await shrinkReservations(tx, assetId, walletId, -by);
  // Never below the reserved coins. If the watcher started after coins had arrived, reconciliation reports the
  // difference, and the cursor advances.
  await tx.query(
    `UPDATE holdings h SET coins = greatest(h.coins + c.change, h.reserved)
       FROM unnest($2::uuid[], $3::bigint[]) AS c(wallet_id, change)
      WHERE h.asset_id = $1 AND h.wallet_id = c.wallet_id`,
    [assetId, [...changes.keys()], [...changes.values()]],
  );
  await keepPositions(tx, assetId, [...changes.keys()]);
}

async function endDone(tx: Tx, assetId: number, seen: readonly SeenTransfer[]): Promise<void> {
  const done = seen.flatMap(({ move, log }) => (move ? [{ move, log }] : []));
  if (done.length === 0) return;
  await tx.query(
    `UPDATE coin_moves m SET state = 'done', reserved = 0, tx_hash = d.tx_hash, block_number = d.block_number
       FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS d(id, tx_hash, block_number)
      WHERE m.move_id = d.id AND m.state = 'open'`,
    [done.map(({ move }) => move.moveId), done.map(({ log }) => log.txHash), done.map(({ log }) => log.blockNumber)],
  );
  await completeSettlements(
    tx,
    done.map(({ move }) => move.settlementId),
  );
  await forgetRefusals(
    tx,
    assetId,
    done.map(({ move }) => move.walletId),
  );
}

/**
 * Unexplained moves can leave reservations without coins. The newest reservations are reduced. They are topped up again
 * before their moves start; a move that was already signed fails harmlessly until then.
 */
async function shrinkReservations(tx: Tx, assetId: number, walletId: string, leaving: bigint): Promise<void> {
  const [holding] = await tx.query<{ lacking: bigint }>(
    'SELECT reserved - (coins - $3) AS lacking FROM holdings WHERE asset_id = $1 AND wallet_id = $2',
    [assetId, walletId, leaving],
  );
  let lacking = holding?.lacking ?? 0n;
  if (lacking <= 0n) return;
  const open = await tx.query<{ move_id: string; reserved: bigint }>(
    `SELECT move_id, reserved FROM coin_moves
      WHERE asset_id = $1 AND wallet_id = $2 AND state = 'open' AND reserved > 0 ORDER BY created_at DESC`,
    [assetId, walletId],
  );
  for (const one of open) {
    if (lacking <= 0n) return;
    const cut = smaller(one.reserved, lacking);
    await tx.query('UPDATE coin_moves SET reserved = reserved - $2 WHERE move_id = $1', [one.move_id, cut]);
    lacking -= cut;
  }
}

/**
 * Coins that were settled for a send have arrived in its wallet. From now on they are reserved there. This excludes
 * coins that have left the wallet again, which a restored database may find in the same logs; those are replaced by a
 * new settlement (`listLacking`).
 */
async function passFunding(tx: Tx, seen: readonly SeenTransfer[]): Promise<void> {
  for (const { move } of seen) {
    if (!move?.funds || move.state !== 'open') continue;
    await tx.query(
      `UPDATE coin_moves m SET reserved = least(m.amount, m.reserved + least($2, h.coins - h.reserved)) FROM holdings h
        WHERE m.move_id = $1 AND m.state = 'open' AND h.asset_id = m.asset_id AND h.wallet_id = m.wallet_id`,
      [move.funds, move.amount],
    );
  }
}
