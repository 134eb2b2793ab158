import { newId } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { toBytes } from './authorizations.ts';
import { encodeCalls, gasOf, takeCancellations, takeTransfers } from './relayCalls.ts';
import { countAffordable, gasLimitOf, usualGas } from './relaying/gas.ts';
import type { Poll } from './relaying/pollChain.ts';

/** Pools keep 16 slots per sender. A mined relay transaction takes no slot. */
const WAITING_PER_RELAYER = 12;

/**
 * Only one worker at a time per blockchain decides what goes into which relay transaction. Otherwise two workers could
 * put the same authorization into two: harmless, because the token executes it once, but it costs gas.
 */
export const lockNonces = (tx: Tx, { networkId }: Network): Promise<unknown> =>
  tx.query('SELECT FROM relayers WHERE network_id = $1 ORDER BY relayer_id FOR NO KEY UPDATE', [networkId]);

/**
 * Puts cancellations and, unless `what` excludes them, waiting authorizations into a relay transaction under the next
 * nonce of a relayer, and commits it. It includes as many calls as that relayer can pay for. `relayTransactions` signs
 * and broadcasts the bytes. Returns false when there is nothing to send, or no relayer can pay.
 */
export async function createRelayTx(
  app: CustodyApp,
  network: Network,
  poll: Poll,
  what: 'all' | 'cancellations' = 'all',
): Promise<boolean> {
  return app.db.tx(async (tx) => {
    await lockNonces(tx, network);
    const relayer = await findRelayer(tx, network, poll);
    if (!relayer) return false;
    const calls = await takeCancellations(tx, network, relayer.affordable);
    const free = relayer.affordable - calls.length;
    if (what === 'all' && free > 0) {
      calls.push(...(await takeTransfers(tx, network, relayer.relayer_id, poll.nowSeconds, free)));
    }
    if (calls.length === 0) return false;
    // Some calls may need more gas than usual. At least one is included: a relayer that cannot pay for it reports that.
    calls.length = Math.max(1, countAffordable(relayer.leftWei, poll.bid.maxFeeWei, gasOf(calls)));
    const relayTxId = newId();
    const { to, data } = encodeCalls(network.assets, calls);
    await tx.query(
      `INSERT INTO carriers (carrier_id, relayer_id, nonce, previous_nonce, target, data, gas_limit)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        relayTxId,
        relayer.relayer_id,
        relayer.next_nonce,
        relayer.is_first ? null : relayer.next_nonce - 1n,
        to,
        toBytes(data),
        gasLimitOf(gasOf(calls)),
      ],
    );
    await tx.query(
      `INSERT INTO carrier_calls (carrier_id, position, move_id, cancelled_in)
       SELECT $1, n, id, CASE WHEN cancels THEN 1 END
         FROM unnest($2::uuid[], $3::boolean[]) WITH ORDINALITY AS l(id, cancels, n)`,
      [relayTxId, calls.map((call) => call.move_id), calls.map((call) => call.cancels)],
    );
    return true;
  });
}

interface FreeRelayer {
  readonly relayer_id: number;
  readonly next_nonce: bigint;
  readonly is_first: boolean;
  readonly left_wei: string;
}

/**
 * Finds the relayer with the least work that can pay for at least one more call, in addition to everything that it has
 * not paid for yet. Locks its row: nonces are assigned one after another.
 */
async function findRelayer(tx: Tx, { networkId, settings }: Network, { relayers, bid }: Poll) {
  const rows = await tx.query<FreeRelayer>(
    `SELECT r.relayer_id, coalesce(r.next_nonce, r.first_nonce) AS next_nonce, r.next_nonce IS NULL AS is_first,
            (b.balance - s.wei)::text AS left_wei
       FROM relayers r JOIN unnest($3::integer[], $4::numeric[]) AS b(relayer_id, balance) USING (relayer_id)
       CROSS JOIN LATERAL (
         SELECT count(*) AS waiting, coalesce(sum(coalesce(
                  (SELECT max(coalesce(t.gas_limit, c.gas_limit) * t.max_fee_wei) FROM carrier_attempts t
                    WHERE t.carrier_id = c.carrier_id), c.gas_limit * $5::numeric)), 0) AS wei
           FROM carriers c
          WHERE c.relayer_id = r.relayer_id AND c.state = 'pending' AND c.mined_block IS NULL) s
      WHERE r.network_id = $1 AND r.stopped IS NULL AND r.trouble IS NULL AND b.balance >= $2 AND s.waiting < $6
      ORDER BY s.waiting, r.relayer_id FOR NO KEY UPDATE OF r`,
    [
      networkId,
      settings.minGasWei,
      relayers.map((relayer) => relayer.relayerId),
      relayers.map((relayer) => relayer.balanceWei),
      bid.maxFeeWei,
      WAITING_PER_RELAYER,
    ],
  );
  return rows
    .map((row) => ({ ...row, leftWei: BigInt(row.left_wei) }))
    .map((row) => ({
      ...row,
      affordable: countAffordable(row.leftWei, bid.maxFeeWei, usualGas(settings.callsPerRelayTx)),
    }))
    .find((row) => row.affordable > 0);
}
