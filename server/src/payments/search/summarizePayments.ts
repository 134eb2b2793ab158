/** For operators: how many payments there were, over time. */
import type { PaymentState } from '../../core/payment.ts';
import type { Queryable } from '../../db/database.ts';
import { findPosition } from './listPayments.ts';

interface Bucket {
  readonly at: Date;
  /** Between people, and to addresses. */
  readonly payments: number;
  readonly volume: bigint;
  /** To addresses. */
  readonly sends: number;
  /** Sends that ended unpaid in this time. */
  readonly failed: number;
  /** Requests to pay that were refused. */
  readonly refused: number;
}

interface Summary {
  /** The figures begin here. */
  readonly since: Date;
  readonly buckets: readonly Bucket[];
}

/** So many rows of the ledger are read at most: about a second. */
const MOST_ROWS = 2_000_000;

/** Every bucket has the same length. Times are those of the ledger. */
export async function summarizePayments(
  db: Queryable,
  { from, bucketSeconds }: { readonly from: Date; readonly bucketSeconds: number },
): Promise<Summary> {
  const floor = await findPosition(db, from);
  const [cut] = await db.query<{ seq: bigint; at: Date }>(
    'SELECT seq, created_at AS at FROM transfers WHERE seq >= $2 ORDER BY seq DESC OFFSET $1 LIMIT 1',
    [MOST_ROWS, floor],
  );
  const since = cut && cut.at > from ? cut.at : from;
  const buckets = await db.query<Bucket>(
    `WITH moved AS (
       SELECT date_bin($3::interval, t.created_at, 'epoch') AS at, count(*) FILTER (WHERE kind <> 'release') AS payments,
              sum(amount) FILTER (WHERE kind <> 'release') AS volume, count(*) FILTER (WHERE kind = 'hold') AS sends,
              count(*) FILTER (WHERE kind = 'release') AS failed
         FROM transfers t WHERE t.seq >= $1 AND t.created_at >= $2 AND t.kind IN ('user', 'hold', 'release') GROUP BY 1
     ), refused AS (
       SELECT date_bin($3::interval, created_at, 'epoch') AS at, count(*) AS refused
         FROM refusals WHERE created_at >= $2 GROUP BY 1
     )
     SELECT g.at, coalesce(m.payments, 0)::int AS payments, coalesce(m.volume, 0)::bigint AS volume,
            coalesce(m.sends, 0)::int AS sends, coalesce(m.failed, 0)::int AS failed, coalesce(r.refused, 0)::int AS refused
       FROM generate_series(date_bin($3::interval, $2, 'epoch'), clock_timestamp(), $3::interval) AS g(at)
       LEFT JOIN moved m USING (at) LEFT JOIN refused r USING (at) ORDER BY g.at`,
    [cut?.seq ?? floor, since, `${bucketSeconds} seconds`],
  );
  return { since, buckets };
}

interface OpenCount {
  readonly state: PaymentState;
  readonly count: number;
  readonly amount: bigint;
  readonly oldestAt: Date;
}

/** Payments that have not ended, by state; since when the oldest is in that state. */
export const countOpen = (db: Queryable): Promise<OpenCount[]> =>
  db.query<OpenCount>(
    `SELECT p.state, count(*)::int AS count, coalesce(sum(p.amount), 0)::bigint AS amount, min(p.updated_at) AS "oldestAt"
       FROM (SELECT payment_id FROM payments WHERE state IN ('INITIATED', 'CLEARED')
             UNION SELECT move_id FROM coin_moves WHERE state = 'open' AND purpose = 'send') open
       JOIN payments p USING (payment_id) GROUP BY p.state ORDER BY min(p.updated_at)`,
  );
