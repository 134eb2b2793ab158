import type { Queryable, Tx } from '../../db/database.ts';
import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { lockNonces } from './createRelayTx.ts';
import { reencode } from './relaying/remakeRelayTx.ts';

/**
 * Handles a move that is to be cancelled and is in relay transactions that are not final yet. A relayer's nonces are
 * mined in order, so a cancellation under a later nonce would always come too late. Instead each of these relay
 * transactions is rewritten, with the cancellation in place of the transfer, and `relayTransactions` offers the new
 * version at a higher fee. The chain decides which version is mined. The other calls stay as they are.
 */
export async function replaceCarried(app: CustodyApp, network: Network): Promise<void> {
  if ((await findOutdated(app.db, network)).length > 0) await app.db.tx((tx) => rewriteRelayTxs(tx, network));
}

/**
 * This also works in reverse: a payment that was COMPLETE and disappeared in a reorg below finality must be paid, even
 * if its cancellation was requested.
 */
export async function rewriteRelayTxs(tx: Tx, network: Network): Promise<void> {
  await lockNonces(tx, network);
  for (const relayTxId of await findOutdated(tx, network)) await rewrite(tx, network, relayTxId);
}

/** `l` has the transfer although its cancellation is requested and signed, or the other way round. */
const IS_OUTDATED = `m.state = 'open' AND l.dropped_in IS NULL AND (l.cancelled_in IS NOT NULL) <> (m.cancel_wanted_at IS NOT NULL
  AND EXISTS (SELECT FROM cancellations x WHERE x.move_id = m.move_id))`;

async function findOutdated(db: Queryable, network: Network): Promise<string[]> {
  const rows = await db.query<{ carrier_id: string }>(
    `SELECT l.carrier_id
       FROM coin_moves m JOIN carrier_calls l USING (move_id) JOIN carriers c USING (carrier_id)
      WHERE m.asset_id = ANY ($2) AND m.cancel_wanted_at IS NOT NULL AND c.state = 'pending' AND ${IS_OUTDATED}
     UNION
     SELECT l.carrier_id
       FROM relayers r JOIN carriers c USING (relayer_id) JOIN carrier_calls l USING (carrier_id)
       JOIN coin_moves m USING (move_id)
      WHERE r.network_id = $1 AND c.state = 'pending' AND l.cancelled_in IS NOT NULL AND ${IS_OUTDATED}
      ORDER BY carrier_id`,
    [network.networkId, assetIdsOf(network)],
  );
  return rows.map((row) => row.carrier_id);
}

async function rewrite(tx: Tx, network: Network, relayTxId: string): Promise<void> {
  const [next] = await tx.query<{ version: number }>(
    `UPDATE carriers SET version = version + 1 WHERE carrier_id = $1 AND state = 'pending' RETURNING version`,
    [relayTxId],
  );
  if (!next) return;
  // A relay transaction from before a restore paid it: this database has no signature to use, and must get one first.
  await tx.query(
    `UPDATE carrier_calls l SET dropped_in = $2 FROM coin_moves m
      WHERE l.carrier_id = $1 AND l.move_id = m.move_id AND l.cancelled_in IS NOT NULL AND ${IS_OUTDATED}
        AND NOT EXISTS (SELECT FROM authorizations a JOIN signatures s USING (move_id, valid_before)
                         WHERE a.move_id = l.move_id)`,
    [relayTxId, next.version],
  );
  await tx.query(
    `UPDATE carrier_calls l SET cancelled_in = CASE WHEN l.cancelled_in IS NULL THEN $2::integer END
       FROM coin_moves m
      WHERE l.carrier_id = $1 AND l.move_id = m.move_id AND ${IS_OUTDATED}`,
    [relayTxId, next.version],
  );
  await reencode(tx, network, relayTxId);
}
