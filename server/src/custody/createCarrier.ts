import { encodeCarrier, encodeTransfer } from '../adapters/chain/encodeCarrier.ts';
import { newId } from '../core/ids.ts';
import type { Hex } from '../core/ports.ts';
import type { Tx } from '../db/database.ts';
import { toBytes, toHex } from './authorizations.ts';
import type { CustodyApp, Network } from './network.ts';
import { MARGIN_SECONDS } from './signAuthorizations.ts';

/**
 * Gas of one leg: measured 65,000 to 82,600 with the test token, to a recipient without a balance and everything
 * cold; Circle's proxy adds a few thousand. A node is never asked for an estimate: for a batch that allows failure it
 * finds the gas at which the legs fail.
 */
const LEG_GAS = 95_000n;
const BASE_GAS = 40_000n;
/** A call gets at most 63/64 of what is left, so the last leg needs 1/63 more in the pot than it uses. */
export const gasLimitOf = (legs: number): bigint => ((BASE_GAS + LEG_GAS * BigInt(legs)) * 64n) / 63n + 1n;

/** Pools promise 16 places to one sender. */
const PENDING_PER_RELAYER = 12;
const LOCK = 0x666c6f72;

interface Leg {
  readonly authorization_id: string;
  readonly from_address: Hex;
  readonly to_address: Hex;
  readonly value: bigint;
  readonly nonce: Buffer;
  readonly valid_before: bigint;
  readonly signature: Buffer;
}

/**
 * Puts waiting authorizations into the next slot of a relayer and commits it. Signing the bytes and broadcasting them
 * is the work of `relayCarriers`. Answers false when there is nothing to carry or nobody to carry it.
 */
export async function createCarrier(app: CustodyApp, network: Network): Promise<boolean> {
  const head = await network.chain.getHead();
  return app.db.tx(async (tx) => {
    // One at a time per blockchain, or two workers would put the same authorization into two carriers: harmless, for
    // the token takes it once, but it costs gas.
    await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK, network.assetId]);
    const relayer = await findRelayer(tx, network);
    if (!relayer) return false;
    const legs = await takeLegs(tx, network, head.timeSeconds);
    if (legs.length === 0) return false;
    const carrierId = newId();
    const { to, data } = encodeLegs(network, legs);
    await tx.query(
      `INSERT INTO carriers (carrier_id, relayer_id, nonce, previous_nonce, target, data, gas_limit)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        carrierId,
        relayer.relayer_id,
        relayer.next_nonce,
        relayer.is_first ? null : relayer.next_nonce - 1n,
        to,
        toBytes(data),
        gasLimitOf(legs.length),
      ],
    );
    await tx.query(
      `INSERT INTO carrier_legs (carrier_id, position, authorization_id)
       SELECT $1, n, id FROM unnest($2::uuid[]) WITH ORDINALITY AS l(id, n)`,
      [carrierId, legs.map((leg) => leg.authorization_id)],
    );
    return true;
  });
}

/** The one with the least to do. Its row is locked: slots are given out one after the other. */
async function findRelayer(tx: Tx, { assetId, settings }: Network) {
  const [row] = await tx.query<{ relayer_id: number; next_nonce: bigint; is_first: boolean }>(
    `SELECT r.relayer_id, coalesce(s.top + 1, r.first_nonce) AS next_nonce, s.top IS NULL AS is_first
       FROM relayers r
       CROSS JOIN LATERAL (SELECT max(nonce) AS top, count(*) FILTER (WHERE state = 'pending') AS pending
                             FROM carriers c WHERE c.relayer_id = r.relayer_id) s
      WHERE r.asset_id = $1 AND r.stopped IS NULL AND coalesce(r.gas_wei, 0) >= $2 AND s.pending < $3
      ORDER BY s.pending, r.relayer_id LIMIT 1 FOR NO KEY UPDATE OF r`,
    [assetId, settings.minGasWei, PENDING_PER_RELAYER],
  );
  return row;
}

/** Settlements first: a send in the same carrier may live on one of them. Sends wait until those are signed. */
function takeLegs(tx: Tx, { assetId, settings }: Network, chainSeconds: bigint): Promise<Leg[]> {
  return tx.query<Leg>(
    `SELECT a.authorization_id, a.from_address, a.to_address, a.value, a.nonce, s.valid_before, s.signature
       FROM authorizations a JOIN signatures s USING (authorization_id, valid_before)
      WHERE a.asset_id = $1 AND a.state = 'open' AND a.carry_after <= clock_timestamp() AND a.valid_before > $2
        AND NOT EXISTS (SELECT FROM carrier_legs l JOIN carriers c USING (carrier_id)
                         WHERE l.authorization_id = a.authorization_id AND c.state = 'pending')
        AND NOT EXISTS (SELECT FROM authorizations f
                         WHERE f.funds = a.authorization_id AND f.state = 'open' AND f.valid_before <= $2)
      ORDER BY a.purpose = 'settlement' DESC, a.created_at, a.authorization_id LIMIT $3`,
    [assetId, chainSeconds + MARGIN_SECONDS / 2n, settings.legsPerCarrier],
  );
}

function encodeLegs(network: Network, legs: readonly Leg[]) {
  return encodeCarrier(
    legs.map((leg) =>
      encodeTransfer(network.chain.usdcAddress, {
        from: leg.from_address,
        to: leg.to_address,
        amount: leg.value,
        validAfterSeconds: 0n,
        validBeforeSeconds: leg.valid_before,
        nonce: toHex(leg.nonce),
        signature: toHex(leg.signature),
      }),
    ),
  );
}
