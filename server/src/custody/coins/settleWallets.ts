import { newId } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import { isSigningPaused } from '../../operators/pauses.ts';
import type { Network, NetworkAsset } from '../network.ts';
import { type CustodyApp, nameRails } from '../rail.ts';
import { freeOf, readPositions, surplusOf } from './holdings.ts';
import { insertMove, readMoveWallets } from './moves.ts';
import { netWallets } from './netWallets.ts';

interface Settled {
  readonly transfers: number;
  readonly amount: bigint;
}

/**
 * Nets what wallets owe each other after any number of user payments, and reserves the coins of the moves that bring every
 * wallet's coins to what its owner is owed. It remembers up to where in the ledger it settles; payments are never
 * rewritten. One at a time: all wallets of the asset are locked while it plans.
 */
export async function settleWallets(
  app: Pick<CustodyApp, 'db' | 'rails'>,
  network: Network,
  { assetId }: NetworkAsset,
): Promise<Settled> {
  if (await isSigningPaused(app.db, network.chain.blockchain)) return { transfers: 0, amount: 0n };
  return app.db.tx(async (tx) => {
    await tx.query('SELECT FROM holdings WHERE asset_id = $1 ORDER BY wallet_id FOR NO KEY UPDATE', [assetId]);
    const { seq, positions } = await readPositions(tx, assetId);
    const wallets = positions.map((one) => ({ walletId: one.walletId, surplus: surplusOf(one), free: freeOf(one) }));
    const moves = netWallets(wallets);
    if (moves.length === 0) {
      if (positions.every((one) => one.coins === one.ledger)) await noteEven(tx, assetId, seq);
      return { transfers: 0, amount: 0n };
    }
    const amount = moves.reduce((sum, move) => sum + move.amount, 0n);
    const owed = wallets.reduce((sum, one) => (one.surplus < 0n ? sum - one.surplus : sum), 0n);
    const settlementId = newId();
    // Coins that are still on their way settle the rest the next time; until then nothing counts as settled.
    await tx.query('INSERT INTO settlements (settlement_id, asset_id, covers_seq) VALUES ($1, $2, $3)', [
      settlementId,
      assetId,
      amount === owed ? seq : null,
    ]);
    const ids = moves.flatMap((move) => [move.from, move.to]);
    const known = await readMoveWallets(tx, nameRails(app.rails), ids);
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
    return { transfers: moves.length, amount };
  });
}

/** Payments that cancel each other out are settled too, with nothing to move. */
async function noteEven(tx: Tx, assetId: number, seq: bigint): Promise<void> {
  await tx.query(
    `INSERT INTO settlements (settlement_id, asset_id, covers_seq, completed_at)
     SELECT $1, $2, $3, date_trunc('milliseconds', clock_timestamp())
      WHERE EXISTS (
        SELECT FROM transfers WHERE asset_id = $2 AND kind = 'user' AND seq < $3 AND seq >= (
          SELECT coalesce(max(covers_seq), 0) FROM settlements WHERE asset_id = $2))`,
    [newId(), assetId, seq],
  );
}
