import { encodeCancellation, encodeCarrier, encodeTransfer } from '../../adapters/chain/encodeCarrier.ts';
import type { ContractCall, Hex } from '../../core/ports.ts';
import type { Tx } from '../../db/database.ts';
import { assetIdsOf, getAsset, type Network } from '../network.ts';
import { toHex } from './authorizations.ts';
import { MARGIN_SECONDS } from './signAuthorizations.ts';

/** One call of the token in a carrier: an authorization's transfer, or its cancellation. */
interface Leg {
  readonly authorization_id: string;
  readonly asset_id: number;
  readonly from_address: Hex;
  readonly to_address: Hex;
  readonly value: bigint;
  readonly nonce: Buffer;
  readonly valid_before: bigint;
  readonly signature: Buffer;
  readonly cancels: boolean;
}

const COLUMNS = 'a.authorization_id, a.asset_id, a.from_address, a.to_address, a.value, a.nonce, a.valid_before';
const NOT_CARRIED = `NOT EXISTS (SELECT FROM carrier_legs l JOIN carriers c USING (carrier_id)
                                  WHERE l.authorization_id = a.authorization_id AND c.state = 'pending')`;

/** Cancellations that no slot carries yet. They move no coins, so they wait for nothing and nobody. */
export const takeCancellations = (tx: Tx, network: Network): Promise<Leg[]> =>
  tx.query<Leg>(
    `SELECT ${COLUMNS}, s.signature, true AS cancels
       FROM authorizations a JOIN cancellations s USING (authorization_id)
      WHERE a.asset_id = ANY ($1) AND a.state = 'open' AND a.cancel_wanted_at IS NOT NULL
        AND a.carry_after <= clock_timestamp() AND ${NOT_CARRIED}
      ORDER BY a.cancel_wanted_at, a.authorization_id LIMIT $2`,
    [assetIdsOf(network), network.settings.legsPerCarrier],
  );

/** Settlements first: a send in the same carrier may live on one of them. Sends wait until those are signed. */
export const takeTransfers = (tx: Tx, network: Network, chainSeconds: bigint, limit: number): Promise<Leg[]> =>
  tx.query<Leg>(
    `SELECT ${COLUMNS}, s.signature, false AS cancels
       FROM authorizations a JOIN signatures s USING (authorization_id, valid_before)
      WHERE a.asset_id = ANY ($1) AND a.state = 'open' AND a.carry_after <= clock_timestamp() AND a.valid_before > $2
        AND a.cancel_wanted_at IS NULL AND ${NOT_CARRIED}
        AND NOT EXISTS (SELECT FROM authorizations f
                         WHERE f.funds = a.authorization_id AND f.state = 'open' AND f.valid_before <= $2)
      ORDER BY a.purpose = 'settlement' DESC, a.created_at, a.authorization_id LIMIT $3`,
    [assetIdsOf(network), chainSeconds + MARGIN_SECONDS / 2n, limit],
  );

/** What a slot carries now. Its transfers are those that were signed last: nothing in a slot is signed again. */
export const readLegs = (tx: Tx, carrierId: string): Promise<Leg[]> =>
  tx.query<Leg>(
    `SELECT ${COLUMNS}, CASE WHEN l.cancelled_in IS NULL THEN s.signature ELSE c.signature END AS signature,
            l.cancelled_in IS NOT NULL AS cancels
       FROM carrier_legs l JOIN authorizations a USING (authorization_id)
       LEFT JOIN signatures s USING (authorization_id, valid_before)
       LEFT JOIN cancellations c USING (authorization_id)
      WHERE l.carrier_id = $1 ORDER BY l.position`,
    [carrierId],
  );

export const encodeLegs = (network: Network, legs: readonly Leg[]): ContractCall =>
  encodeCarrier(legs.map((leg) => encodeLeg(getAsset(network, leg.asset_id).contract, leg)));

function encodeLeg(contract: Hex, leg: Leg): ContractCall {
  const nonce = toHex(leg.nonce);
  const signature = toHex(leg.signature);
  if (leg.cancels) return encodeCancellation(contract, leg.from_address, nonce, signature);
  return encodeTransfer(contract, {
    from: leg.from_address,
    to: leg.to_address,
    amount: leg.value,
    validAfterSeconds: 0n,
    validBeforeSeconds: leg.valid_before,
    nonce,
    signature,
  });
}
