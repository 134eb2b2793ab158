import type { Hex, Receipt } from '../../core/ports.ts';
import type { Tx } from '../../db/database.ts';
import { byAsset, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import type { PendingCarrier } from './carriers.ts';

interface OpenCall {
  readonly move_id: string;
  readonly asset_id: number;
  readonly from_address: Hex;
  readonly to_address: Hex;
}

/**
 * A mined carrier is done when the watcher has read past its block: what it executed is then known from final logs,
 * and a call whose move is still open failed. That proves nothing about the payment; it is carried again, later and later.
 */
export async function endCarrier(
  app: CustodyApp,
  network: Network,
  carrier: PendingCarrier,
  receipt: Receipt,
): Promise<void> {
  const [cursor] = await app.db.query<{ block_number: bigint }>(
    'SELECT block_number FROM chain_cursors WHERE network_id = $1',
    [network.networkId],
  );
  if (!cursor || cursor.block_number < receipt.blockNumber) {
    if (carrier.missingMs !== undefined) await setMissing(app, carrier, false);
    return;
  }
  const block = await network.chain.findBlock(receipt.blockNumber);
  if (block?.hash !== receipt.blockHash) return;
  const open = await app.db.query<OpenCall>(
    `SELECT m.move_id, m.asset_id, m.from_address, m.to_address FROM carrier_calls l JOIN coin_moves m USING (move_id)
      WHERE l.carrier_id = $1 AND m.state = 'open' ORDER BY m.move_id`,
    [carrier.carrierId],
  );
  const reasons = await explainFailures(network, open);
  await app.db.tx(async (tx) => {
    const ended = await tx.query(
      `UPDATE carriers SET state = 'final', block_number = $2 WHERE carrier_id = $1 AND state = 'pending' RETURNING 1`,
      [carrier.carrierId, receipt.blockNumber],
    );
    if (ended.length === 0) return;
    for (const { move_id: id } of open) await countFailure(tx, id, reasons.get(id)!);
  });
}

/** As far as the token tells: the reasons that will not go away by trying again. */
async function explainFailures(network: Network, calls: readonly OpenCall[]): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (const { asset, rows } of byAsset(network, calls)) {
    const addresses = rows.flatMap((call) => [call.from_address, call.to_address]);
    const { isPaused, blacklisted } = await network.chain.readRefusals(asset.contract, addresses);
    const explain = (i: number) => {
      if (blacklisted[2 * i + 1]) return 'the destination is blacklisted by the token';
      if (blacklisted[2 * i]) return 'the funding wallet is blacklisted by the token';
      return isPaused ? 'the token is paused' : 'the token refused the transfer';
    };
    rows.forEach((call, i) => void reasons.set(call.move_id, explain(i)));
  }
  return reasons;
}

async function countFailure(tx: Tx, moveId: string, reason: string): Promise<void> {
  await tx.query(
    `UPDATE authorizations SET failures = failures + 1, failure_reason = $2,
            carry_after = clock_timestamp() + least(2 ^ failures, 300) * interval '1 second'
      WHERE move_id = $1`,
    [moveId, reason],
  );
}

/**
 * The chain says the nonce is used, and none of our attempts is found. A node that lags says the same, so it must last,
 * and the nonce must be used in a final block: then the relayer's key was used elsewhere, or the database is older than
 * the chain. That relayer stops until a person has looked; its authorizations go into another carrier, safely.
 */
export async function loseCarrier(app: CustodyApp, network: Network, carrier: PendingCarrier): Promise<void> {
  if (carrier.missingMs === undefined) return setMissing(app, carrier, true);
  if (carrier.missingMs < network.settings.missingAfterMs) return;
  const [relayer] = await app.db.query<{ address: Hex }>('SELECT address FROM relayers WHERE relayer_id = $1', [
    carrier.relayerId,
  ]);
  const used = await network.chain.getNonce(relayer!.address, await network.chain.getFinalized());
  if (BigInt(used) <= carrier.nonce) return;
  const reason = `its key was used elsewhere: nonce ${carrier.nonce} holds a chain transaction that is not ours`;
  await app.db.tx(async (tx) => {
    // Only this nonce: the ones after it may still be ours, and must be filled or the relayer is stuck for ever.
    await tx.query(`UPDATE carriers SET state = 'foreign' WHERE carrier_id = $1 AND state = 'pending'`, [
      carrier.carrierId,
    ]);
    await tx.query('UPDATE relayers SET stopped = coalesce(stopped, $2) WHERE relayer_id = $1', [
      carrier.relayerId,
      reason,
    ]);
  });
}

async function setMissing(app: CustodyApp, carrier: PendingCarrier, isMissing: boolean): Promise<void> {
  await app.db.query(
    `UPDATE carriers SET missing_since = CASE WHEN $2 THEN coalesce(missing_since, clock_timestamp()) END
      WHERE carrier_id = $1`,
    [carrier.carrierId, isMissing],
  );
}
