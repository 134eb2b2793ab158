import { encodeCancellation, encodeRelayTx, encodeTransfer } from '../../adapters/chain/encodeRelayTx.ts';
import type { ContractCall, Hex } from '../../core/ports.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { assetIdsOf, type Network, type NetworkAsset } from '../network.ts';
import { toHex } from './authorizations.ts';
import { CALL_GAS } from './relaying/gas.ts';
import { MARGIN_SECONDS } from './signAuthorizations.ts';

/** One token call in a relay transaction: an authorization's transfer, or its cancellation. */
interface RelayCall {
  readonly move_id: string;
  readonly asset_id: number;
  readonly from_address: Hex;
  readonly to_address: Hex;
  readonly amount: bigint;
  readonly nonce: Buffer;
  readonly valid_before: bigint;
  readonly signature: Buffer;
  readonly cancels: boolean;
  /** The gas that the relay transaction must provide for it. */
  readonly gas: bigint;
}

const COLUMNS = `m.move_id, m.asset_id, m.from_address, m.to_address, m.amount, a.nonce, a.valid_before,
  coalesce(a.call_gas, ${CALL_GAS}) AS gas`;
const OPEN = `coin_moves m JOIN authorizations a USING (move_id)`;

/** Takes cancellations that are in no relay transaction yet. They move no coins, so they wait for nothing. */
export const takeCancellations = (tx: Tx, network: Network, limit: number): Promise<RelayCall[]> =>
  tx.query<RelayCall>(
    `SELECT ${COLUMNS}, s.signature, true AS cancels
       FROM ${OPEN} JOIN cancellations s USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND m.cancel_wanted_at IS NOT NULL
        AND a.carry_after <= clock_timestamp() AND NOT a.carried
      ORDER BY m.cancel_wanted_at, m.move_id LIMIT $2`,
    [assetIdsOf(network), limit],
  );

/**
 * A settlement is ordered after every send of the next ten minutes: it uses the space that sends leave, and after ten
 * minutes it takes its place in the queue.
 */
const SETTLEMENT_PATIENCE = `interval '10 minutes'`;

/**
 * Takes sends in their order, each right after the settlements that bring its coins, so that cutting off the end never
 * leaves a send without them. A send waits while one of its settlements is not signed, is to be retried later, has lost
 * its reservation, or is in a relay transaction that may be mined after this one, or never: of another relayer, whose
 * nonces are mined in their own order, or under a nonce that something else has used. A settlement on another rail is never
 * signed, so the send waits until its coins have arrived. A send whose settlement has ended without coins waits for others
 * (`listLacking`).
 */
export const takeTransfers = (
  tx: Tx,
  network: Network,
  relayerId: number,
  chainSeconds: bigint,
  limit: number,
): Promise<RelayCall[]> =>
  tx.query<RelayCall>(
    `SELECT ${COLUMNS}, s.signature, false AS cancels
       FROM ${OPEN} JOIN signatures s USING (move_id, valid_before) LEFT JOIN coin_moves p ON p.move_id = m.funds
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND a.carry_after <= clock_timestamp() AND a.valid_before > $2
        AND m.cancel_wanted_at IS NULL AND NOT a.carried
        AND (m.purpose = 'settlement' OR m.amount <= m.reserved + (
              SELECT coalesce(sum(f.amount), 0) FROM coin_moves f WHERE f.funds = m.move_id AND f.state = 'open'))
        AND NOT EXISTS (SELECT FROM coin_moves f LEFT JOIN authorizations g USING (move_id)
                         WHERE f.funds = m.move_id AND f.state = 'open'
                           AND (coalesce(g.valid_before, 0) <= $2 OR f.reserved < f.amount OR NOT CASE WHEN g.carried
                             THEN EXISTS (SELECT FROM carrier_calls l JOIN carriers c USING (carrier_id)
                                           WHERE l.move_id = f.move_id AND l.dropped_in IS NULL AND c.state = 'pending'
                                             AND c.relayer_id = $4 AND c.missing_since IS NULL)
                             ELSE g.carry_after <= clock_timestamp() END))
      ORDER BY CASE WHEN m.purpose = 'settlement' AND m.funds IS NULL THEN m.created_at + ${SETTLEMENT_PATIENCE}
                    ELSE coalesce(p.created_at, m.created_at) END,
               coalesce(m.funds, m.move_id), m.purpose = 'settlement' DESC, m.move_id
      LIMIT $3`,
    [assetIdsOf(network), chainSeconds + MARGIN_SECONDS / 2n, limit, relayerId],
  );

/**
 * Returns the current calls of a relay transaction. Each transfer has the newest signature: nothing in a relay
 * transaction is signed again.
 */
export const readCalls = (db: Queryable, relayTxId: string): Promise<RelayCall[]> =>
  db.query<RelayCall>(
    `SELECT ${COLUMNS}, CASE WHEN l.cancelled_in IS NULL THEN s.signature ELSE c.signature END AS signature,
            l.cancelled_in IS NOT NULL AS cancels
       FROM carrier_calls l JOIN coin_moves m USING (move_id) JOIN authorizations a USING (move_id)
       LEFT JOIN signatures s USING (move_id, valid_before)
       LEFT JOIN cancellations c USING (move_id)
      WHERE l.carrier_id = $1 AND l.dropped_in IS NULL ORDER BY l.position`,
    [relayTxId],
  );

export const gasOf = (calls: readonly Pick<RelayCall, 'gas'>[]): bigint[] => calls.map(({ gas }) => gas);

/** `assets` must include those of the calls. */
export const encodeCalls = (
  assets: readonly Pick<NetworkAsset, 'assetId' | 'contract'>[],
  calls: readonly RelayCall[],
): ContractCall =>
  encodeRelayTx(
    calls.map((call) => encodeCall(assets.find(({ assetId }) => assetId === call.asset_id)!.contract, call)),
  );

function encodeCall(contract: Hex, call: RelayCall): ContractCall {
  const nonce = toHex(call.nonce);
  const signature = toHex(call.signature);
  if (call.cancels) return encodeCancellation(contract, call.from_address, nonce, signature);
  return encodeTransfer(contract, {
    from: call.from_address,
    to: call.to_address,
    amount: call.amount,
    validAfterSeconds: 0n,
    validBeforeSeconds: call.valid_before,
    nonce,
    signature,
  });
}
