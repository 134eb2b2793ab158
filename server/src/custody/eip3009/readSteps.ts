import { formatGwei } from '../../core/money.ts';
import type { Queryable } from '../../db/database.ts';
import type { MoveStep } from '../rail.ts';
import { describeExcess } from './relaying/listRunways.ts';

interface AttemptRow {
  readonly at: Date;
  readonly hash: string;
  readonly nonce: bigint;
  readonly calls: number;
  readonly nth: number;
  readonly max_fee_wei: string;
  readonly answer: string | null;
  readonly cancels: boolean;
  /** What a unit of gas costs now, if the transaction waits for a block and no bid may reach that. */
  readonly fee_wei: string | null;
  readonly fee_cap_wei: string | null;
}

/**
 * Returns every chain transaction that was made for a move or its cancellation, including replaced ones; and what the
 * move waits for, if it is not signed or its nonce was taken.
 */
export async function readSteps(db: Queryable, moveId: string): Promise<MoveStep[]> {
  const attempts = await db.query<AttemptRow>(
    `SELECT t.created_at AS at, t.hash, c.nonce, t.max_fee_wei, t.answer,
            coalesce(t.version >= l.cancelled_in, false) AS cancels,
            (SELECT count(*)::int FROM carrier_calls o WHERE o.carrier_id = c.carrier_id
                AND (o.dropped_in IS NULL OR t.version < o.dropped_in)) AS calls,
            CASE WHEN c.state = 'pending' AND c.mined_block IS NULL AND r.fee_wei > r.fee_cap_wei THEN r.fee_wei END AS fee_wei,
            r.fee_cap_wei,
            row_number() OVER (PARTITION BY c.carrier_id ORDER BY t.created_at)::int AS nth
       FROM carrier_calls l JOIN carriers c USING (carrier_id) JOIN relayers r USING (relayer_id)
       JOIN carrier_attempts t USING (carrier_id)
      WHERE l.move_id = $1 AND (l.dropped_in IS NULL OR t.version < l.dropped_in) ORDER BY t.created_at`,
    [moveId],
  );
  const lost = await db.query<{ at: Date }>(
    `SELECT c.missing_since AS at FROM carrier_calls l JOIN carriers c USING (carrier_id)
      WHERE l.move_id = $1 AND l.dropped_in IS NULL AND c.state = 'pending' AND c.mined_block IS NULL
        AND c.missing_since IS NOT NULL`,
    [moveId],
  );
  const refused = await db.query<{ at: Date; refusal: string }>(
    `SELECT c.created_at AS at, c.refusal FROM carrier_calls l JOIN carriers c USING (carrier_id)
      WHERE l.move_id = $1 AND l.dropped_in IS NULL AND c.state = 'pending' AND c.mined_block IS NULL AND c.refusal IS NOT NULL`,
    [moveId],
  );
  const [wait] = await db.query<{ at: Date; reason: string }>(
    `SELECT waits_since AS at, waits_for AS reason FROM authorizations JOIN coin_moves USING (move_id)
      WHERE move_id = $1 AND state = 'open' AND waits_for IS NOT NULL`,
    [moveId],
  );
  return [
    ...attempts.map((attempt, i) => ({
      at: attempt.at,
      txHash: attempt.hash,
      note: describe(attempt),
      detail: describeFully(attempt) + (i === attempts.length - 1 ? describeFee(attempt) : ''),
    })),
    ...lost.map(({ at }) => ({ at, txHash: null, note: 'it is sent to the blockchain again', detail: LOST })),
    ...refused.map(({ at, refusal }) => ({
      at,
      txHash: null,
      note: 'not signed yet; it is tried again',
      detail: `the signer refuses to sign it; it is tried again: ${refusal}`,
    })),
    ...(wait
      ? [
          {
            at: wait.at,
            txHash: null,
            note: 'not signed yet; it is tried again',
            detail: `not signed yet: ${wait.reason}`,
          },
        ]
      : []),
  ];
}

const LOST =
  'the relayer’s slot was used by something else, as after a restore of the database; it is carried again in the next one when that is final';

function describe({ nth, cancels }: AttemptRow): string {
  if (cancels) return 'its cancellation was sent to the blockchain';
  return nth > 1 ? 'sent to the blockchain again' : 'sent to the blockchain';
}

const describeFee = ({ fee_wei: fee, fee_cap_wei: cap }: AttemptRow): string =>
  fee === null || cap === null ? '' : `; ${describeExcess({ feeWei: BigInt(fee), capWei: BigInt(cap) })}`;

function describeFully({ nonce, calls, nth, max_fee_wei: maxFeeWei, answer, cancels }: AttemptRow): string {
  const company = calls > 1 ? `with ${calls - 1} other calls` : 'alone';
  const what = nth > 1 ? 'replaces the one before' : `carried ${company}`;
  const cancellation = cancels ? 'carries the cancellation: ' : '';
  const refused = answer && answer !== 'accepted' ? `; the node answered ${answer}` : '';
  return `${cancellation}${what}, relayer slot ${nonce}, at most ${formatGwei(BigInt(maxFeeWei))} per gas${refused}`;
}
