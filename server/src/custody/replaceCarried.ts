import type { Tx } from '../db/database.ts';
import { toBytes } from './authorizations.ts';
import { encodeLegs, readLegs } from './carrierLegs.ts';
import { lockSlots } from './createCarrier.ts';
import type { CustodyApp, Network } from './network.ts';

/**
 * A payment that is to be cancelled stands in slots that are not final yet. A relayer's slots are mined in order, so a
 * cancellation in a later one would always come too late: each of these slots is rewritten instead, with the
 * cancellation in the payment's place, and `relayCarriers` offers the new edition at a higher fee. Which of the two is
 * mined decides. The other legs stay as they are.
 */
export async function replaceCarried(app: CustodyApp, network: Network): Promise<void> {
  const carried = await findCarried(app.db, network);
  if (carried.length === 0) return;
  await app.db.tx(async (tx) => {
    await lockSlots(tx, network);
    for (const carrierId of await findCarried(tx, network)) await rewrite(tx, network, carrierId);
  });
}

async function findCarried(db: Pick<Tx, 'query'>, { assetId }: Network): Promise<string[]> {
  const rows = await db.query<{ carrier_id: string }>(
    `SELECT DISTINCT l.carrier_id
       FROM cancellations x JOIN authorizations a USING (authorization_id)
       JOIN carrier_legs l USING (authorization_id) JOIN carriers c USING (carrier_id)
      WHERE a.asset_id = $1 AND a.state = 'open' AND a.cancel_wanted_at IS NOT NULL AND l.cancelled_in IS NULL
        AND c.state = 'pending' ORDER BY l.carrier_id`,
    [assetId],
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
    `UPDATE carrier_legs l SET cancelled_in = $2 FROM authorizations a JOIN cancellations x USING (authorization_id)
      WHERE l.carrier_id = $1 AND l.authorization_id = a.authorization_id AND l.cancelled_in IS NULL
        AND a.state = 'open' AND a.cancel_wanted_at IS NOT NULL`,
    [carrierId, next.edition],
  );
  const { to, data } = encodeLegs(network, await readLegs(tx, carrierId));
  await tx.query('UPDATE carriers SET target = $2, data = $3 WHERE carrier_id = $1', [carrierId, to, toBytes(data)]);
}
