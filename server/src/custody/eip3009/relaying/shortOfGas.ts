import type { Bid } from '../../../core/ports.ts';
import type { Network } from '../../network.ts';
import type { CustodyApp } from '../../rail.ts';
import { gasOf, readCalls } from '../relayCalls.ts';
import type { WaitingRelayTx } from '../relayTxs.ts';
import { countAffordable, describeShortage, gasLimitOf } from './gas.ts';
import type { PolledRelayer } from './pollChain.ts';
import { shortenRelayTx } from './remakeRelayTx.ts';

/**
 * The relayer cannot pay for this relay transaction, so it is shortened. If the relayer cannot pay for even one call,
 * its calls go to another relayer if there is one, and this relayer gets no new work until it has enough.
 */
export async function shorten(
  app: CustodyApp,
  network: Network,
  relayer: PolledRelayer,
  relayTx: WaitingRelayTx,
  bid: Bid,
  leftWei: bigint,
): Promise<void> {
  // By our own calculation the relayer can pay, so the node adds a cost that we do not see, such as the fee of the
  // underlying layer. Then half of the calls are tried.
  const gas = gasOf(await readCalls(app.db, relayTx.relayTxId));
  const calls = Math.min(
    countAffordable(leftWei, bid.maxFeeWei, gas),
    relayTx.gasLimit * bid.maxFeeWei <= leftWei ? Math.floor(relayTx.calls / 2) : relayTx.calls,
  );
  if (calls > 0) return shortenRelayTx(app, network, relayTx.relayTxId, calls);
  const needed = gasLimitOf(gas.slice(0, 1)) * bid.maxFeeWei;
  const needs = relayer.balanceWei - leftWei + (needed > leftWei ? needed : 2n * leftWei);
  const trouble = `${describeShortage(relayer.balanceWei, needs)} to continue with nonce ${relayTx.nonce}`;
  const [other] = await app.db.query<{ exists: boolean }>(
    `UPDATE relayers r SET trouble = $2, needs_wei = $3 WHERE relayer_id = $1
     RETURNING EXISTS (SELECT FROM relayers o WHERE o.network_id = r.network_id AND o.relayer_id <> r.relayer_id
                          AND o.stopped IS NULL AND o.trouble IS NULL AND o.gas_wei >= $4) AS exists`,
    [relayer.relayerId, trouble, needs, network.settings.minGasWei],
  );
  if (other?.exists && relayTx.calls > 0) await shortenRelayTx(app, network, relayTx.relayTxId, 0);
}

/** A node accepted a relay transaction after the relayer could not pay. */
export async function endTrouble(app: Pick<CustodyApp, 'db'>, relayerId: number): Promise<void> {
  await app.db.query(
    'UPDATE relayers SET trouble = NULL, needs_wei = NULL WHERE relayer_id = $1 AND trouble IS NOT NULL',
    [relayerId],
  );
}
