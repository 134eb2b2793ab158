import { newId } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { toBytes } from './authorizations.ts';
import { encodeCalls, takeCancellations, takeTransfers } from './carrierCalls.ts';

/**
 * Gas of one call: measured 65,000 to 82,600 with the test token, to a recipient without a balance and everything
 * cold; Circle's proxy adds a few thousand. A node is never asked for an estimate: for a batch that allows failure it
 * finds the gas at which the calls fail.
 */
const CALL_GAS = 95_000n;
const BASE_GAS = 40_000n;
/** A call gets at most 63/64 of what is left, so the last one needs 1/63 more in the pot than it uses. */
const gasLimitOf = (calls: number): bigint => ((BASE_GAS + CALL_GAS * BigInt(calls)) * 64n) / 63n + 1n;

/** Pools keep 16 places for one sender. */
const PENDING_PER_RELAYER = 12;
const LOCK = 0x666c6f72;

/**
 * Only one worker at a time decides per blockchain what goes into which carrier, or two would put the same authorization
 * into two carriers: harmless, for the token takes it once, but it costs gas.
 */
export const lockNonces = (tx: Tx, { networkId }: Network): Promise<unknown> =>
  tx.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK, networkId]);

/**
 * Puts cancellations, and unless it is only for those, waiting authorizations into a carrier under the next nonce of a
 * relayer and commits it. Signing the bytes and broadcasting them is the work of `relayCarriers`. Answers false when there is
 * nothing to carry, or no relayer that can.
 */
export async function createCarrier(
  app: CustodyApp,
  network: Network,
  what: 'all' | 'cancellations' = 'all',
): Promise<boolean> {
  const head = await network.chain.getHead();
  return app.db.tx(async (tx) => {
    await lockNonces(tx, network);
    const relayer = await findRelayer(tx, network);
    if (!relayer) return false;
    const calls = await takeCancellations(tx, network);
    const room = network.settings.callsPerCarrier - calls.length;
    if (what === 'all' && room > 0) calls.push(...(await takeTransfers(tx, network, head.timeSeconds, room)));
    if (calls.length === 0) return false;
    const carrierId = newId();
    const { to, data } = encodeCalls(network, calls);
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
        gasLimitOf(calls.length),
      ],
    );
    await tx.query(
      `INSERT INTO carrier_calls (carrier_id, position, move_id, cancelled_in)
       SELECT $1, n, id, CASE WHEN cancels THEN 1 END
         FROM unnest($2::uuid[], $3::boolean[]) WITH ORDINALITY AS l(id, cancels, n)`,
      [carrierId, calls.map((call) => call.move_id), calls.map((call) => call.cancels)],
    );
    return true;
  });
}

/** The one with the least to do. Its row is locked: nonces are given out one after the other. */
async function findRelayer(tx: Tx, { networkId, settings }: Network) {
  const [row] = await tx.query<{ relayer_id: number; next_nonce: bigint; is_first: boolean }>(
    `SELECT r.relayer_id, coalesce(s.top + 1, r.first_nonce) AS next_nonce, s.top IS NULL AS is_first
       FROM relayers r
       CROSS JOIN LATERAL (SELECT max(nonce) AS top, count(*) FILTER (WHERE state = 'pending') AS pending
                             FROM carriers c WHERE c.relayer_id = r.relayer_id) s
      WHERE r.network_id = $1 AND r.stopped IS NULL AND coalesce(r.gas_wei, 0) >= $2 AND s.pending < $3
      ORDER BY s.pending, r.relayer_id LIMIT 1 FOR NO KEY UPDATE OF r`,
    [networkId, settings.minGasWei, PENDING_PER_RELAYER],
  );
  return row;
}
