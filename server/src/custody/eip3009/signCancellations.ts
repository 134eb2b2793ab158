import type { KnownMove } from '../coins/moves.ts';
import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { nonceOfMove, toBytes } from './authorizations.ts';

const LIMIT = 100;

interface Wanted extends Pick<KnownMove, 'moveId' | 'purpose'> {
  readonly hasNonce: boolean;
}

/**
 * Asks the signer to sign requested cancellations. A cancellation moves no coins, so it is signed and relayed even
 * while sends are paused, when it may matter most. Without an answer the next pass asks again; after a refusal it asks
 * again with growing pauses.
 */
export async function signCancellations(app: CustodyApp, network: Network): Promise<void> {
  const wanted = await app.db.query<Wanted>(
    `SELECT m.move_id AS "moveId", m.purpose, a.move_id IS NOT NULL AS "hasNonce"
       FROM coin_moves m LEFT JOIN authorizations a USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.rail = 'eip3009' AND m.state = 'open' AND m.cancel_wanted_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM cancellations c WHERE c.move_id = m.move_id)
        AND (a.cancel_after IS NULL OR a.cancel_after <= clock_timestamp())
      ORDER BY m.cancel_wanted_at LIMIT $2`,
    [assetIdsOf(network), LIMIT],
  );
  if (wanted.length === 0) return;
  await giveNonces(
    app,
    wanted.filter(({ hasNonce }) => !hasNonce),
  );
  const answer = await app.signer.signCancellations(wanted.map(({ moveId }) => moveId));
  const refused = answer.outcome === 'accepted' ? answer.refused.filter(({ isNext }) => !isNext) : [];
  if (refused.length > 0) {
    await app.db.query(
      `UPDATE authorizations SET cancel_refusals = cancel_refusals + 1,
              cancel_after = clock_timestamp() + least(2 ^ least(cancel_refusals, 10), 300) * interval '1 second'
        WHERE move_id = ANY ($1)`,
      [refused.map(({ id }) => id)],
    );
  }
}

/**
 * `cancel_after_restore` makes moves without a nonce. If another payment has the nonce, the client has repeated its key
 * with another body, and `findDead` ends the move.
 */
async function giveNonces(app: CustodyApp, moves: readonly Wanted[]): Promise<void> {
  if (moves.length === 0) return;
  await app.db.query(
    `INSERT INTO authorizations (move_id, nonce) SELECT * FROM unnest($1::uuid[], $2::bytea[]) ON CONFLICT DO NOTHING`,
    [moves.map(({ moveId }) => moveId), moves.map((move) => toBytes(nonceOfMove(move)))],
  );
}
