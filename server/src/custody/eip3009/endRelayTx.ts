import type { Hex, Receipt } from '../../core/ports.ts';
import type { Tx } from '../../db/database.ts';
import { byAsset, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { CALL_GAS, isOutOfGas, MAX_CALL_GAS } from './relaying/gas.ts';

interface OpenCall {
  readonly move_id: string;
  readonly asset_id: number;
  readonly from_address: Hex;
  readonly to_address: Hex;
}

/** Seen in a block that is final by now. `hash` is the attempt's. */
export interface MinedRelayTx {
  readonly relayTxId: string;
  readonly hash: Hex;
}

/**
 * Ends a mined relay transaction when the watcher has read past its block. Final logs then show what it executed, and a
 * call whose move is still open failed. That proves nothing about the payment: the move is relayed again, with growing
 * pauses. Returns false if it is not in a final block after all.
 */
export async function endRelayTx(
  app: CustodyApp,
  network: Network,
  { relayTxId, hash }: MinedRelayTx,
): Promise<boolean> {
  const receipt = await network.chain.findReceipt(hash);
  const [cursor] = await app.db.query<{ block_number: bigint }>(
    'SELECT block_number FROM chain_cursors WHERE network_id = $1',
    [network.networkId],
  );
  if (!receipt || !cursor || cursor.block_number < receipt.blockNumber) return false;
  const block = await network.chain.findBlock(receipt.blockNumber);
  if (block?.hash !== receipt.blockHash) return false;
  const open = await app.db.query<OpenCall>(
    `SELECT m.move_id, m.asset_id, m.from_address, m.to_address FROM carrier_calls l JOIN coin_moves m USING (move_id)
      WHERE l.carrier_id = $1 AND l.dropped_in IS NULL AND m.state = 'open' ORDER BY m.move_id`,
    [relayTxId],
  );
  const reasons = await explainFailures(network, open);
  const isShort = open.length > 0 && (await ranOutOfGas(app, receipt));
  await app.db.tx(async (tx) => {
    const ended = await tx.query(
      `UPDATE carriers SET state = 'final', block_number = $2 WHERE carrier_id = $1 AND state = 'pending' RETURNING 1`,
      [relayTxId, receipt.blockNumber],
    );
    if (ended.length === 0) return;
    for (const { move_id: id } of open) {
      const reason = reasons.get(id) ?? (isShort ? OUT_OF_GAS : REFUSED);
      if (reason !== OUT_OF_GAS || !(await raiseGas(tx, id))) await countFailure(tx, id, reason);
    }
  });
  return true;
}

const OUT_OF_GAS = 'its chain transaction ran out of gas';
const REFUSED = 'the token refused the transfer';

/** Asks the token for permanent reasons, which a retry would not change. */
async function explainFailures(network: Network, calls: readonly OpenCall[]): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (const { asset, rows } of byAsset(network, calls)) {
    const addresses = rows.flatMap((call) => [call.from_address, call.to_address]);
    const { isPaused, blacklisted } = await network.chain.readRefusals(asset.contract, addresses);
    const explain = (i: number) => {
      if (blacklisted[2 * i + 1]) return 'the destination is blacklisted by the token';
      if (blacklisted[2 * i]) return 'the funding wallet is blacklisted by the token';
      return isPaused ? 'the token is paused' : undefined;
    };
    for (const [i, call] of rows.entries()) {
      const reason = explain(i);
      if (reason) reasons.set(call.move_id, reason);
    }
  }
  return reasons;
}

async function ranOutOfGas({ db }: CustodyApp, { hash, gasUsed }: Receipt): Promise<boolean> {
  const [attempt] = await db.query<{ gas_limit: bigint }>(
    `SELECT coalesce(t.gas_limit, c.gas_limit) AS gas_limit FROM carrier_attempts t JOIN carriers c USING (carrier_id)
      WHERE t.hash = $1`,
    [hash],
  );
  return attempt !== undefined && isOutOfGas(gasUsed, attempt.gas_limit);
}

/**
 * The next relay transaction provides twice as much gas for it, without a pause. Returns false if it already had the
 * maximum.
 */
async function raiseGas(tx: Tx, moveId: string): Promise<boolean> {
  const raised = await tx.query(
    `UPDATE authorizations SET call_gas = least(2 * coalesce(call_gas, $2), $3), failure_reason = $4
      WHERE move_id = $1 AND coalesce(call_gas, $2) < $3 RETURNING 1`,
    [moveId, CALL_GAS, MAX_CALL_GAS, OUT_OF_GAS],
  );
  return raised.length > 0;
}

async function countFailure(tx: Tx, moveId: string, reason: string): Promise<void> {
  await tx.query(
    `UPDATE authorizations SET failures = failures + 1, failure_reason = $2,
            carry_after = clock_timestamp() + least(2 ^ failures, 300) * interval '1 second'
      WHERE move_id = $1`,
    [moveId, reason],
  );
}
