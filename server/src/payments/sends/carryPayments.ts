import { reserveSend, type Send } from '../../custody/coins/reserveSend.ts';
import { createCarrier } from '../../custody/eip3009/createCarrier.ts';
import { relayCarriers } from '../../custody/eip3009/relayCarriers.ts';
import { replaceCarried } from '../../custody/eip3009/replaceCarried.ts';
import { signAuthorizations } from '../../custody/eip3009/signAuthorizations.ts';
import { signCancellations } from '../../custody/eip3009/signCancellations.ts';
import { assetIdsOf, type CustodyApp, type Network } from '../../custody/network.ts';
import { isSigningPaused } from '../../operators/pauses.ts';
import { advancePayments } from '../state.ts';
import { lockPayments } from './finishPayment.ts';

const CARRIERS_PER_TURN = 8;

/**
 * One turn of the relay of a blockchain: sign what is promised, carry what is signed, follow what is carried; what is to
 * be cancelled takes the place of what it cancels.
 */
export async function carryPayments(app: CustodyApp, network: Network): Promise<void> {
  const isPaused = await isSigningPaused(app.db, network.chain.blockchain);
  await signCancellations(app, network);
  await replaceCarried(app, network);
  if (!isPaused) {
    await topUp(app, network);
    await signAuthorizations(app, network);
  }
  const what = isPaused ? 'cancellations' : 'all';
  for (let made = 0; made < CARRIERS_PER_TURN && (await createCarrier(app, network, what)); ) made++;
  // What is carried already goes on, paused or not: it is on the chain's side.
  await relayCarriers(app, network);
  await showCarried(app, network);
}

/** Sends whose backing fell away: a settlement that was to fund them died, or coins left without our knowing. */
async function topUp(app: CustodyApp, network: Network): Promise<void> {
  const lacking = await app.db.query<Send>(
    `SELECT authorization_id AS "paymentId", asset_id AS "assetId", wallet_id AS "walletId", to_address AS destination,
            value AS amount
       FROM authorizations a
      WHERE asset_id = ANY ($1) AND state = 'open' AND purpose = 'send' AND cancel_wanted_at IS NULL AND reserved < value
        AND value > reserved + (SELECT coalesce(sum(f.value), 0) FROM authorizations f
                                 WHERE f.funds = a.authorization_id AND f.state = 'open')
      ORDER BY created_at LIMIT 50`,
    [assetIdsOf(network)],
  );
  for (const send of lacking) {
    await app.db.tx(async (tx) => {
      await lockPayments(tx, [send.paymentId]);
      await reserveSend(tx, send);
    });
  }
}

/**
 * Shows in the payments what their carriers have reached; a replaced hash stays visible in the timeline. Bytes that carry
 * a cancellation are none of the payment's own.
 */
async function showCarried(app: CustodyApp, network: Network): Promise<void> {
  const carried = await app.db.query<{ paymentId: string; txHash: string; state: 'SENT' | 'STUCK' }>(
    `SELECT c.payment_id AS "paymentId", c.hash AS "txHash",
            CASE WHEN c.is_stuck AND p.state = 'SENT' THEN 'STUCK' ELSE 'SENT' END AS state
       FROM (SELECT DISTINCT ON (l.authorization_id) l.authorization_id AS payment_id, t.hash,
                    c.created_at < clock_timestamp() - $2 * interval '1 millisecond' AS is_stuck
               FROM carriers c JOIN relayers r USING (relayer_id) JOIN carrier_legs l USING (carrier_id)
               JOIN carrier_attempts t USING (carrier_id)
              WHERE r.network_id = $1 AND c.state = 'pending' AND t.broadcast_at IS NOT NULL
                AND (l.cancelled_in IS NULL OR t.edition < l.cancelled_in)
              ORDER BY l.authorization_id, t.created_at DESC) c JOIN payments p USING (payment_id)
      WHERE p.state = 'QUEUED' OR (p.state = 'SENT' AND c.is_stuck)
         OR (p.state IN ('SENT', 'STUCK') AND p.tx_hash IS DISTINCT FROM c.hash)`,
    [network.networkId, network.settings.stuckAfterMs],
  );
  if (carried.length > 0) await app.db.tx((tx) => advancePayments(tx, carried));
}
