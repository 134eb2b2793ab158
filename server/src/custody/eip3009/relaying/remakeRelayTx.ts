import type { Hex } from '../../../core/ports.ts';
import type { Queryable, Tx } from '../../../db/database.ts';
import type { Network } from '../../network.ts';
import type { CustodyApp } from '../../rail.ts';
import { toBytes } from '../authorizations.ts';
import { lockNonces } from '../createRelayTx.ts';
import { encodeCalls, gasOf, readCalls } from '../relayCalls.ts';
import type { WaitingRelayTx } from '../relayTxs.ts';
import { gasLimitOf, MAX_GAS_LIMIT } from './gas.ts';

/**
 * Stores the current content of the relay transaction. Without calls it only uses up its nonce and transfers nothing.
 */
export async function reencode(tx: Tx, network: Network, relayTxId: string): Promise<void> {
  const calls = await readCalls(tx, relayTxId);
  const { to, data } = calls.length > 0 ? encodeCalls(network.assets, calls) : { to: null, data: '0x' as Hex };
  await tx.query(
    `UPDATE carriers SET target = coalesce($2, r.address), data = $3, gas_limit = $4 FROM relayers r
      WHERE r.relayer_id = carriers.relayer_id AND carrier_id = $1`,
    [relayTxId, to, toBytes(data), gasLimitOf(gasOf(calls))],
  );
}

/**
 * Creates the next version of a relay transaction, with only its first calls: the others go into later ones, or into
 * those of another relayer. The order of the calls keeps every send behind the settlements that bring its coins.
 */
export const shortenRelayTx = (app: CustodyApp, network: Network, relayTxId: string, calls: number): Promise<void> =>
  app.db.tx(async (tx) => {
    await lockNonces(tx, network);
    const first = 'SELECT k.position FROM carrier_calls k WHERE k.carrier_id = $1 AND k.dropped_in IS NULL';
    await drop(tx, network, relayTxId, `l.position >= (${first} ORDER BY k.position OFFSET $3 LIMIT 1)`, calls);
  });

/** A node reports that the gas is insufficient: the chain charges more for the same bytes than we expect. */
export async function raiseGasLimit(app: CustodyApp, { relayTxId, gasLimit }: WaitingRelayTx): Promise<void> {
  await app.db.query(
    `UPDATE carriers SET gas_limit = gas_limit * 2 WHERE carrier_id = $1 AND state = 'pending' AND gas_limit = $2
        AND gas_limit * 2 <= $3`,
    [relayTxId, gasLimit, MAX_GAS_LIMIT],
  );
}

/**
 * A relay transaction that waited for long may contain calls whose signatures have expired, by the time of a final
 * block: the token would refuse them, and the gas would be lost. They are signed again and relayed later, together with
 * the sends that need their coins.
 */
export async function dropLapsed(app: CustodyApp, network: Network): Promise<void> {
  const lapsed = `EXISTS (SELECT FROM authorizations a JOIN chain_cursors n ON n.network_id = $3::integer
    WHERE a.move_id = l.move_id AND a.valid_before <= n.block_seconds)`;
  const find = (db: Queryable) =>
    db.query<{ carrier_id: string }>(
      `SELECT DISTINCT c.carrier_id
         FROM relayers r JOIN carriers c USING (relayer_id) JOIN carrier_calls l USING (carrier_id)
        WHERE r.network_id = $1 AND c.state = 'pending' AND c.mined_block IS NULL
          AND l.dropped_in IS NULL AND l.cancelled_in IS NULL AND ${lapsed.replace('$3', '$1')}`,
      [network.networkId],
    );
  if ((await find(app.db)).length === 0) return;
  await app.db.tx(async (tx) => {
    await lockNonces(tx, network);
    for (const { carrier_id: relayTxId } of await find(tx)) {
      const isGone = `(l.cancelled_in IS NULL AND ${lapsed})`;
      const needsGone = `l.move_id IN (SELECT m.funds FROM carrier_calls l JOIN coin_moves m USING (move_id)
        WHERE l.carrier_id = $1 AND l.dropped_in IS NULL AND ${isGone})`;
      await drop(tx, network, relayTxId, `${isGone} OR ${needsGone}`, network.networkId);
    }
  });
}

async function drop(tx: Tx, network: Network, relayTxId: string, which: string, value: number): Promise<void> {
  const [next] = await tx.query<{ version: number }>(
    `UPDATE carriers SET version = version + 1 WHERE carrier_id = $1 AND state = 'pending' RETURNING version`,
    [relayTxId],
  );
  if (!next) return;
  await tx.query(
    `UPDATE carrier_calls l SET dropped_in = $2 WHERE l.carrier_id = $1 AND l.dropped_in IS NULL AND (${which})`,
    [relayTxId, next.version, value],
  );
  await reencode(tx, network, relayTxId);
}
