import type { Queryable } from '../../db/database.ts';
import type { PayoutState } from './payout.ts';

/** A payout, as operators see it in a list. */
interface ListedPayout {
  readonly payoutId: string;
  readonly state: PayoutState;
  readonly keyName: string;
  readonly payer: string | null;
  readonly rows: number;
  readonly total: bigint;
  readonly createdAt: Date;
  readonly approvedBy: readonly string[];
}

interface Asked {
  /** One of these payouts. */
  readonly ids?: readonly string[] | undefined;
  readonly payerId?: string | undefined;
  readonly state?: PayoutState | 'open' | undefined;
  /** Some of its rows are paid on this blockchain. */
  readonly blockchain?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly minAmount?: bigint | undefined;
  readonly maxAmount?: bigint | undefined;
  /** The last payout of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/**
 * For operators: payouts, newest first. `open`: not ended. Their rows are read one payout after another, newest first, until
 * the page is full.
 */
export const listPayouts = (db: Queryable, asked: Asked): Promise<ListedPayout[]> =>
  db.query<ListedPayout>(
    `SELECT p.payout_id AS "payoutId", p.state, k.name AS "keyName",
            CASE WHEN p.payer_id IS NULL THEN 'treasury' ELSE n.username END AS payer,
            p.row_count - p.known_count AS rows, p.total - p.known_total AS total, p.created_at AS "createdAt",
            ARRAY(SELECT a.operator FROM payout_approvals a WHERE a.payout_id = p.payout_id ORDER BY a.approved_at) AS "approvedBy"
       FROM (SELECT p.*
               FROM (SELECT * FROM payouts p
                      WHERE ($1::uuid[] IS NULL OR p.payout_id = ANY ($1)) AND ($2::uuid IS NULL OR p.payer_id = $2)
                        AND CASE WHEN $3::text IS NULL THEN true
                                 WHEN $3 = 'open' THEN NOT payout_is_final(p.state) ELSE p.state = $3 END
                        AND p.created_at >= coalesce($5, p.created_at) AND ($6::timestamptz IS NULL OR p.created_at < $6)
                        AND p.total - p.known_total BETWEEN coalesce($7::bigint, 0) AND coalesce($8::bigint, p.total)
                        AND ($9::uuid IS NULL
                          OR (p.created_at, p.payout_id) < (SELECT created_at, payout_id FROM payouts WHERE payout_id = $9))
                      ORDER BY p.created_at DESC, p.payout_id DESC OFFSET 0) p
              WHERE $4::text IS NULL OR (SELECT true FROM payout_items i
                WHERE i.payout_id = p.payout_id AND i.blockchain = $4 LIMIT 1)
              ORDER BY p.created_at DESC, p.payout_id DESC LIMIT $10) p
       JOIN service_keys k USING (key_id)
       LEFT JOIN usernames n ON n.user_id = p.payer_id AND n.redirect_until IS NULL
      ORDER BY p.created_at DESC, p.payout_id DESC`,
    [
      asked.ids ?? null,
      asked.payerId ?? null,
      asked.state ?? null,
      asked.blockchain ?? null,
      asked.from ?? null,
      asked.to ?? null,
      asked.minAmount ?? null,
      asked.maxAmount ?? null,
      asked.after ?? null,
      asked.limit,
    ],
  );
