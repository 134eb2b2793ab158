import type { Bid, Hex } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';

export interface Attempt extends Bid {
  readonly hash: Hex;
  /** The version of its relay transaction when it was signed. */
  readonly version: number;
  readonly raw: Buffer;
  readonly gasLimit: bigint;
  /** The head when it was signed; undefined for an attempt of an older release. */
  readonly signedAtBlock: bigint | undefined;
  readonly ageMs: number;
  /** Time since the last broadcast; undefined when it was never broadcast. */
  readonly silentMs: number | undefined;
}

export interface WaitingRelayTx {
  readonly relayTxId: string;
  readonly relayerId: number;
  readonly reference: string;
  readonly nonce: bigint;
  readonly target: Hex;
  readonly data: Buffer;
  readonly gasLimit: bigint;
  /** Increases when the content is rewritten: only bytes of the last version are made and broadcast. */
  readonly version: number;
  /** The number of calls it contains now. Without calls it only uses up its nonce. */
  readonly calls: number;
  readonly missingMs: number | undefined;
  /** Why the signer last refused to sign it. */
  readonly refusal: string | null;
  /** Newest first. */
  readonly attempts: readonly Attempt[];
}

interface Row {
  carrier_id: string;
  relayer_id: number;
  reference: string;
  nonce: bigint;
  target: Hex;
  data: Buffer;
  gas_limit: bigint;
  version: number;
  calls: number;
  missing_ms: number | null;
  refusal: string | null;
  hash: Hex | null;
  attempt_version: number;
  raw: Buffer;
  attempt_gas: bigint;
  max_fee_wei: string;
  priority_fee_wei: string;
  signed_at_block: bigint | null;
  age_ms: number;
  silent_ms: number | null;
}

const msSince = (column: string) => `extract(epoch FROM clock_timestamp() - ${column})::float8 * 1000`;

/** Lists the relay transactions that are not in a block yet, in the order of their nonces. */
export async function listWaitingRelayTxs(db: Queryable, networkId: number): Promise<WaitingRelayTx[]> {
  const rows = await db.query<Row>(
    `SELECT c.carrier_id, c.relayer_id, r.reference, c.nonce, c.target, c.data, c.gas_limit, c.version,
            (SELECT count(*)::int FROM carrier_calls l
              WHERE l.carrier_id = c.carrier_id AND l.dropped_in IS NULL) AS calls,
            ${msSince('c.missing_since')} AS missing_ms, c.refusal, t.hash, t.version AS attempt_version, t.raw,
            coalesce(t.gas_limit, c.gas_limit) AS attempt_gas, t.max_fee_wei, t.priority_fee_wei, t.signed_at_block,
            ${msSince('t.created_at')} AS age_ms, ${msSince('t.broadcast_at')} AS silent_ms
       FROM carriers c JOIN relayers r USING (relayer_id) LEFT JOIN carrier_attempts t USING (carrier_id)
      WHERE r.network_id = $1 AND c.state = 'pending' AND c.mined_block IS NULL
      ORDER BY c.relayer_id, c.nonce, t.version DESC, t.created_at DESC`,
    [networkId],
  );
  const relayTxs = new Map<string, WaitingRelayTx & { attempts: Attempt[] }>();
  for (const row of rows) {
    const relayTx = relayTxs.get(row.carrier_id) ?? toRelayTx(row);
    relayTxs.set(row.carrier_id, relayTx);
    if (row.hash) relayTx.attempts.push(toAttempt(row, row.hash));
  }
  return [...relayTxs.values()];
}

const toRelayTx = (row: Row) => ({
  relayTxId: row.carrier_id,
  relayerId: row.relayer_id,
  reference: row.reference,
  nonce: row.nonce,
  target: row.target,
  data: row.data,
  gasLimit: row.gas_limit,
  version: row.version,
  calls: row.calls,
  missingMs: row.missing_ms ?? undefined,
  refusal: row.refusal,
  attempts: [] as Attempt[],
});

const toAttempt = (row: Row, hash: Hex): Attempt => ({
  hash,
  version: row.attempt_version,
  raw: row.raw,
  gasLimit: row.attempt_gas,
  maxFeeWei: BigInt(row.max_fee_wei),
  priorityFeeWei: BigInt(row.priority_fee_wei),
  signedAtBlock: row.signed_at_block ?? undefined,
  ageMs: row.age_ms,
  silentMs: row.silent_ms ?? undefined,
});
