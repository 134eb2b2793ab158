import type { Queryable, Tx } from '../../db/database.ts';
import type { CustodyApp, Network } from '../network.ts';
import { toBytes } from './authorizations.ts';
import { encodeLegs, readLegs } from './carrierLegs.ts';
import { lockSlots } from './createCarrier.ts';

/**
 * A payment that is to be cancelled stands in slots that are not final yet. A relayer's slots are mined in order, so a
 * cancellation in a later one would always come too late: each of these slots is rewritten instead, with the
 * cancellation in the payment's place, and `relayCarriers` offers the new edition at a higher fee. Which of the two is
 * mined decides. The other legs stay as they are.
 */
export async function replaceCarried(app: CustodyApp, network: Network): Promise<void> {
  if ((await findOutdated(app.db, network)).length > 0) await app.db.tx((tx) => rewriteSlots(tx, network));
}

/** Also back: a payment that was COMPLETE and vanished in a reorg below finality is to be paid, whatever was wanted. */
export async function rewriteSlots(tx: Tx, network: Network): Promise<void> {
  await lockSlots(tx, network);
  for (const carrierId of await findOutdated(tx, network)) await rewrite(tx, network, carrierId);
}

/** `l` carries the transfer and its cancellation is wanted and signed, or the other way round. */
const IS_OUTDATED = `a.state = 'open' AND (l.cancelled_in IS NOT NULL) <> (a.cancel_wanted_at IS NOT NULL
  AND EXISTS (SELECT FROM cancellations x WHERE x.authorization_id = a.authorization_id))`;

async function findOutdated(db: Queryable, { networkId }: Network): Promise<string[]> {
  const rows = await db.query<{ carrier_id: string }>(
    `SELECT DISTINCT l.carrier_id
       FROM relayers r JOIN carriers c USING (relayer_id) JOIN carrier_legs l USING (carrier_id)
       JOIN authorizations a USING (authorization_id)
      WHERE r.network_id = $1 AND c.state = 'pending' AND ${IS_OUTDATED} ORDER BY l.carrier_id`,
    [networkId],
  );
  return rows.map((row) => row.carrier_id);
}

async function rewrite(tx: Tx, network: Network, carrierId: string): Promise<void> {
  const [next] = await tx.query<{ edition: number }>(
    `UPDATE carriers SET edition = edition + 1 WHERE carrier_id = $1 AND state = 'pending' RETURNING edition`,
    [carrierId],
  );
  if (!next) return;
  await tx.query(
    `UPDATE carrier_legs l SET cancelled_in = CASE WHEN l.cancelled_in IS NULL THEN $2::integer END
       FROM authorizations a
      WHERE l.carrier_id = $1 AND l.authorization_id = a.authorization_id AND ${IS_OUTDATED}`,
    [carrierId, next.edition],
  );
  const { to, data } = encodeLegs(network, await readLegs(tx, carrierId));
  await tx.query('UPDATE carriers SET target = $2, data = $3 WHERE carrier_id = $1', [carrierId, to, toBytes(data)]);
}
