/**
 * Handles relayer nonces that were used by something that this database did not send: the database was restored from a
 * backup, or the relayer's key was used by another program. They are recorded as `foreign`, so that the next nonce
 * follows without a gap, and the moves that we wanted to relay under them are relayed again. That is safe: the token
 * executes every authorization once. A single node that lags or lies looks the same, so the state must last, and the
 * nonces must be used in a final block.
 *
 * A restored database finds such nonces once, within the time that a chain needs for finality. If they are found again
 * later, someone else has the key and spends the gas: the relayer then stops until an operator has checked it.
 */

import { larger } from '../../../core/bigints.ts';
import type { Tx } from '../../../db/database.ts';
import { recordAudit } from '../../../operators/recordAudit.ts';
import type { Network } from '../../network.ts';
import type { CustodyApp } from '../../rail.ts';
import { lockNonces } from '../createRelayTx.ts';
import type { WaitingRelayTx } from '../relayTxs.ts';
import type { Poll, PolledRelayer } from './pollChain.ts';
import { reencode } from './remakeRelayTx.ts';

/**
 * A find within the first interval belongs to the same restored backup. A later find within the second interval counts
 * as a second find.
 */
const SAME_FIND = `interval '1 hour'`;
const SECOND_FIND = `interval '30 days'`;

const has = (column: string) =>
  `${column} IS NOT NULL AND ${column} <= clock_timestamp() - $2 * interval '1 millisecond'`;

/** A node's report about the nonces of one relayer. */
type RelayerNonces = Pick<PolledRelayer, 'relayerId' | 'address' | 'nextNonce' | 'isStopped' | 'usedNonces'>;

/** For one relayer: the chain has used more nonces than we have assigned. */
export async function passNoncesAhead(
  app: Pick<CustodyApp, 'db'>,
  network: Network,
  relayer: RelayerNonces,
): Promise<void> {
  const { relayerId, address, nextNonce } = relayer;
  const isAhead = !relayer.isStopped && relayer.usedNonces > nextNonce;
  const [row] = await app.db.query<{ lasts: boolean }>(
    `UPDATE relayers SET ahead_since = CASE WHEN $3 THEN coalesce(ahead_since, clock_timestamp()) END
      WHERE relayer_id = $1 AND ($3 OR ahead_since IS NOT NULL) RETURNING ${has('ahead_since')} AS lasts`,
    [relayerId, network.settings.missingAfterMs, isAhead],
  );
  if (!row?.lasts) return;
  const final = await network.chain.getFinalized();
  const used = BigInt(await network.chain.getNonce(address, final));
  if (used <= nextNonce) return;
  await app.db.tx(async (tx) => {
    await lockNonces(tx, network);
    const passed = await insertForeign(tx, relayerId, used, final.number);
    if (passed > 0n) await noteForeign(tx, network, relayer, used - passed, used - 1n);
  });
}

/** Inserts the nonces up to `used` that have no relay transaction. Returns how many. */
export async function insertForeign(tx: Tx, relayerId: number, used: bigint, block: bigint): Promise<bigint> {
  const rows = await tx.query(
    `INSERT INTO carriers (carrier_id, relayer_id, nonce, previous_nonce, target, data, gas_limit, state, block_number)
     SELECT gen_random_uuid(), relayer_id, n, CASE WHEN n > first_nonce THEN n - 1 END, address, '', 0, 'foreign', $3
       FROM relayers, generate_series(coalesce(next_nonce, first_nonce), $2::bigint - 1) AS n
      WHERE relayer_id = $1 RETURNING 1`,
    [relayerId, used, block],
  );
  return BigInt(rows.length);
}

async function noteForeign(
  tx: Tx,
  { chain }: Network,
  relayer: RelayerNonces,
  from: bigint,
  to: bigint,
): Promise<void> {
  const nonces =
    from === to ? `nonce ${from} holds a chain transaction` : `nonces ${from} to ${to} hold chain transactions`;
  const [row] = await tx.query<{ stopped: string | null }>(
    `UPDATE relayers SET ahead_since = NULL,
            stopped = CASE WHEN foreign_since < clock_timestamp() - ${SAME_FIND}
                            AND foreign_since > clock_timestamp() - ${SECOND_FIND} THEN coalesce(stopped, $2)
                           ELSE stopped END,
            foreign_since = CASE WHEN foreign_since > clock_timestamp() - ${SECOND_FIND} THEN foreign_since
                                 ELSE clock_timestamp() END
      WHERE relayer_id = $1 RETURNING stopped`,
    [
      relayer.relayerId,
      `its key was used elsewhere again: ${nonces} that we did not send. ` +
        `If that was you: florin relayer restart ${chain.blockchain} ${relayer.address}`,
    ],
  );
  const details = {
    blockchain: chain.blockchain,
    relayer: relayer.address,
    first_nonce: String(from),
    nonces: String(to - from + 1n),
    stopped: row?.stopped !== null,
  };
  await recordAudit(tx, { actor: 'service:relayer', action: 'relayer.nonces_passed', details });
}

/** The chain has used the nonce of this relay transaction, and none of our attempts is found. */
export async function loseRelayTx(
  app: CustodyApp,
  network: Network,
  relayer: PolledRelayer,
  relayTx: WaitingRelayTx,
): Promise<void> {
  if (relayTx.missingMs === undefined) {
    await app.db.query(
      'UPDATE carriers SET missing_since = clock_timestamp() WHERE carrier_id = $1 AND mined_block IS NULL',
      [relayTx.relayTxId],
    );
    return;
  }
  if (relayTx.missingMs < network.settings.missingAfterMs) return;
  const final = await network.chain.getFinalized();
  if (BigInt(await network.chain.getNonce(relayer.address, final)) <= relayTx.nonce) return;
  // The receipts of a lagging node would make our own relay transaction seem lost.
  for (const { hash } of relayTx.attempts) if (await network.chain.findReceipt(hash)) return;
  await app.db.tx(async (tx) => {
    await lockNonces(tx, network);
    // Only this nonce: the later ones may still be ours, and must be filled or the relayer is stuck forever.
    const lost = await tx.query(
      `UPDATE carriers SET state = 'foreign', block_number = $2
        WHERE carrier_id = $1 AND state = 'pending' AND mined_block IS NULL RETURNING 1`,
      [relayTx.relayTxId, final.number],
    );
    if (lost.length > 0) await noteForeign(tx, network, relayer, relayTx.nonce, relayTx.nonce);
  });
}

/**
 * A skipped nonce is unused on the chain: there was a reorg below finality, or a node had lied. Nothing later can be
 * mined before it is used, so an empty relay transaction fills it.
 */
export async function fillFreeNonces(app: CustodyApp, network: Network, { relayers }: Poll): Promise<void> {
  const find = (db: Pick<CustodyApp['db'], 'query'>, ids: readonly number[], used: readonly bigint[]) =>
    db.query<{ carrier_id: string; relayer_id: number }>(
      `SELECT c.carrier_id, c.relayer_id FROM carriers c
         JOIN unnest($1::integer[], $2::bigint[]) AS u(relayer_id, used) USING (relayer_id)
        WHERE c.state = 'foreign' AND c.nonce >= u.used ORDER BY c.relayer_id, c.nonce`,
      [ids, used],
    );
  const free = await find(
    app.db,
    relayers.map((relayer) => relayer.relayerId),
    relayers.map((relayer) => relayer.usedNonces),
  );
  if (free.length === 0) return;
  const final = await network.chain.getFinalized();
  for (const relayer of relayers.filter(({ relayerId }) => free.some((one) => one.relayer_id === relayerId))) {
    const used = BigInt(await network.chain.getNonce(relayer.address, final));
    await app.db.tx(async (tx) => {
      await lockNonces(tx, network);
      const highest = larger(used, relayer.usedNonces);
      for (const { carrier_id: relayTxId } of await find(tx, [relayer.relayerId], [highest])) {
        await tx.query(
          `UPDATE carriers SET state = 'pending', block_number = NULL, missing_since = NULL, has_bytes = true,
                  version = version + 1
            WHERE carrier_id = $1`,
          [relayTxId],
        );
        await tx.query(
          `UPDATE carrier_calls l SET dropped_in = c.version FROM carriers c
            WHERE c.carrier_id = $1 AND l.carrier_id = $1 AND l.dropped_in IS NULL`,
          [relayTxId],
        );
        await reencode(tx, network, relayTxId);
      }
    });
  }
}
