import type { Db, Queryable } from '../../db/database.ts';
import type { KnownMove } from '../coins/moves.ts';
import { assetIdsOf, type Network } from '../network.ts';
import { insertAuthorization, nonceOfMove, toBytes, toHex } from './authorizations.ts';

type Move = Pick<KnownMove, 'moveId' | 'purpose' | 'walletId'> & { readonly assetId: number };

interface SpentMove {
  readonly moveId: string;
  readonly isCanceled: boolean;
  /** The transfer under its nonce is this move, and no one has imported it. */
  readonly isPaid: boolean;
}

/** `m`, a row of `coin_moves`, was never signed here, and the chain has used nonces that this database does not know. */
export const MAY_BE_SPENT = 'a.move_id IS NULL AND EXISTS (SELECT FROM forgotten_nonces)';

/**
 * Returns moves that were never signed here and whose nonce the chain has used or cancelled: a client has repeated its
 * key with another body after the database was restored. The token would refuse them, so they are not signed. Another
 * wallet may also have used the nonce, for a payment that was imported. The nonce belongs to that payment then, so the move
 * can never be signed.
 */
export async function findSpentUnsigned(db: Queryable, network: Network): Promise<SpentMove[]> {
  const moves = await db.query<Move>(
    `SELECT m.move_id AS "moveId", m.purpose, m.wallet_id AS "walletId", m.asset_id AS "assetId"
       FROM coin_moves m LEFT JOIN authorizations a USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.rail = 'eip3009' AND m.state = 'open' AND ${MAY_BE_SPENT}`,
    [assetIdsOf(network)],
  );
  return moves.length === 0 ? [] : pickSpent(db, moves);
}

interface Spent {
  readonly nonce: Buffer;
  readonly asset_id: number;
  readonly wallet_id: string | null;
  readonly is_canceled: boolean;
  /** Another payment has it. */
  readonly is_taken: boolean;
}

async function pickSpent(db: Queryable, moves: readonly Move[]): Promise<SpentMove[]> {
  const byNonce = new Map(moves.map((move) => [nonceOfMove(move), move]));
  const rows = await db.query<Spent>(
    `SELECT nonce, asset_id, wallet_id, kind = 'canceled' AS is_canceled,
            EXISTS (SELECT FROM authorizations a WHERE a.nonce = f.nonce) AS is_taken
       FROM forgotten_nonces f WHERE asset_id IN (SELECT asset_id FROM assets) AND nonce = ANY ($1)`,
    [[...byNonce.keys()].map(toBytes)],
  );
  const spent: SpentMove[] = [];
  for (const { nonce, asset_id: assetId, wallet_id: walletId, is_canceled: isCanceled, is_taken: isTaken } of rows) {
    const move = byNonce.get(toHex(nonce))!;
    const isOfWallet = (walletId ?? move.walletId) === move.walletId;
    if (!isTaken && !(isOfWallet && move.assetId === assetId)) continue;
    spent.push({ moveId: move.moveId, isCanceled, isPaid: !isCanceled && (await isPaidBy(db, move.moveId, nonce)) });
  }
  return spent;
}

/** No other payment accounts for the coins: `find_claimed` decides in the same way. */
async function isPaidBy(db: Queryable, moveId: string, nonce: Buffer): Promise<boolean> {
  const rows = await db.query(
    `SELECT FROM forgotten_nonces f JOIN unexplained_moves u USING (asset_id, tx_hash, log_index)
       JOIN coin_moves m ON m.asset_id = f.asset_id
      WHERE m.move_id = $1 AND f.nonce = $2 AND u.wallet_id = m.wallet_id AND u.amount = m.amount
        AND lower(u.to_address) = lower(m.to_address)
        AND NOT EXISTS (SELECT FROM authorizations o WHERE o.move_id = u.imported_as)`,
    [moveId, nonce],
  );
  return rows.length > 0;
}

/** The chain has paid it. With its authorization restored, `claim_unexplained` finds it. */
export const restoreAuthorization = (db: Db, moveId: string): Promise<void> =>
  db.tx((tx) => insertAuthorization(tx, moveId, nonceOfMove({ moveId, purpose: 'send' })));
