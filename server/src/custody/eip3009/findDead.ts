import type { Hex } from '../../core/ports.ts';
import type { Tx } from '../../db/database.ts';
import { assetIdsOf, byAsset, type Network } from '../network.ts';
import type { CustodyApp, DeadMove } from '../rail.ts';
import { toHex } from './authorizations.ts';
import { MAX_FAILURES } from './signAuthorizations.ts';
import { findSpentUnsigned, restoreAuthorization } from './spentNonces.ts';

/**
 * Finds moves that provably can never happen. The proof is one of these:
 *
 * - At one final block B, read by its hash, the time of B is past the greatest validity ever committed, and the token
 *   has not seen the nonce. Only moves that are given up or to be cancelled are considered; the others are signed again
 *   instead. A move that `cancel_after_restore` created has no validity: nothing was signed here.
 * - This very nonce was cancelled, or used for another transfer, in a final block, by a payment that a restored
 *   database does not know.
 * - The signer has refused it permanently, so it was never signed.
 *
 * If a restored database may not know of a signature, nothing is proved until that signature would have expired
 * (`may_be_signed`).
 */
export async function findDead(app: CustodyApp, network: Network): Promise<DeadMove[]> {
  return [
    ...(await findSpent(app, network)),
    ...(await endSpentUnsigned(app, network)),
    ...(await findRefused(app, network)),
    ...(await findLapsed(app, network)),
  ];
}

interface Row {
  readonly move_id: string;
  readonly valid_before: bigint;
  readonly reason: string;
  readonly is_refused?: boolean;
}

const toDead = (
  { move_id: moveId, valid_before: validBefore, reason, is_refused: isRefused = false }: Row,
  isCancelled: boolean,
): DeadMove => ({
  moveId,
  reason,
  isCancelled,
  isRefused,
  // Another worker may have signed it for longer in the meantime.
  async holds(tx: Tx) {
    const [now] = await tx.query<{ valid_before: bigint }>(
      'SELECT valid_before FROM authorizations WHERE move_id = $1',
      [moveId],
    );
    return (now?.valid_before ?? 0n) === validBefore;
  },
});

/**
 * SQL, for `may_be_signed`: when `m`, a row of `coin_moves`, began. NULL for a send, which a client may have repeated
 * after a restore.
 */
const BEGAN = `CASE WHEN m.purpose = 'settlement' THEN m.created_at END`;

/**
 * A client repeated the key of a payment that was cancelled before the database was restored. Or it repeated the key
 * with another amount or destination, and the earlier payment has used the nonce: the token refuses this one
 * permanently.
 */
async function findSpent(app: CustodyApp, network: Network): Promise<DeadMove[]> {
  const rows = await app.db.query<Row & { is_canceled: boolean }>(
    `SELECT m.move_id, a.valid_before, f.kind = 'canceled' AS is_canceled,
            CASE f.kind WHEN 'canceled' THEN 'cancelled on chain' ELSE $2 END AS reason
       FROM forgotten_nonces f JOIN authorizations a USING (nonce) JOIN coin_moves m USING (move_id, asset_id)
      WHERE f.asset_id = ANY ($1) AND m.state = 'open' AND (f.kind = 'canceled' AND coalesce(f.wallet_id = m.wallet_id, true)
        OR f.kind = 'used' AND f.wallet_id = m.wallet_id AND NOT EXISTS (SELECT FROM unexplained_moves u
             WHERE (u.asset_id, u.tx_hash, u.log_index) = (f.asset_id, f.tx_hash, f.log_index) AND u.amount = m.amount
               AND lower(u.to_address) = lower(m.to_address)))`,
    [assetIdsOf(network), SPENT],
  );
  return rows.map((row) => toDead(row, row.is_canceled));
}

const SPENT = 'its key was used for another transfer before';

async function endSpentUnsigned(app: CustodyApp, network: Network): Promise<DeadMove[]> {
  const dead: DeadMove[] = [];
  for (const { moveId, isCanceled, isPaid } of await findSpentUnsigned(app.db, network)) {
    if (isPaid) await restoreAuthorization(app.db, moveId);
    else
      dead.push(
        toDead({ move_id: moveId, valid_before: 0n, reason: isCanceled ? 'cancelled on chain' : SPENT }, isCanceled),
      );
  }
  return dead;
}

async function findRefused(app: CustodyApp, network: Network): Promise<DeadMove[]> {
  const rows = await app.db.query<Row>(
    `SELECT m.move_id, a.valid_before, coalesce(a.failure_reason, 'it was never signed') AS reason,
            true AS is_refused
       FROM coin_moves m JOIN authorizations a USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND m.started_at IS NULL AND a.failures >= $2
        AND NOT may_be_signed($3, ${BEGAN}) LIMIT 100`,
    [assetIdsOf(network), MAX_FAILURES, network.networkId],
  );
  return rows.map((row) => toDead(row, false));
}

async function findLapsed(app: CustodyApp, network: Network): Promise<DeadMove[]> {
  const lapsed = await app.db.query<Row & { asset_id: number; from_address: Hex; nonce: Buffer; read_until: bigint }>(
    `SELECT m.move_id, m.asset_id, a.valid_before, m.from_address, a.nonce, c.block_seconds AS read_until,
            a.failures >= $2 AS is_refused,
            CASE WHEN m.cancel_wanted_at IS NOT NULL THEN 'cancelled; what was signed has lapsed unused'
                 ELSE coalesce(a.failure_reason, 'it could not be carried in time') END AS reason
       FROM coin_moves m JOIN authorizations a USING (move_id) JOIN chain_cursors c ON c.network_id = $3
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND a.valid_before < c.block_seconds
        AND (a.valid_before > 0 OR m.started_at IS NOT NULL AND m.cancel_wanted_at IS NOT NULL)
        AND (a.failures >= $2 OR m.cancel_wanted_at IS NOT NULL
             -- Its coins are gone, so it is not signed again: the next settlement moves the coins that exist then.
             OR (m.purpose = 'settlement' AND m.reserved < m.amount))
        AND NOT may_be_signed(c.network_id, ${BEGAN})
      LIMIT 100`,
    [assetIdsOf(network), MAX_FAILURES, network.networkId],
  );
  if (lapsed.length === 0) return [];
  const block = await network.chain.getFinalized();
  const dead: DeadMove[] = [];
  for (const { asset, rows } of byAsset(network, lapsed)) {
    const used = await network.chain.readAuthorizationStates(
      asset.contract,
      rows.map((one) => ({ authorizer: one.from_address, nonce: toHex(one.nonce) })),
      block,
    );
    // A node that is behind our cursor proves nothing about signatures that had not expired at its block.
    dead.push(
      ...rows.filter((one, i) => !used[i] && block.timeSeconds >= one.read_until).map((one) => toDead(one, false)),
    );
  }
  return dead;
}
