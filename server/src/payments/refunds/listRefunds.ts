import type { Queryable } from '../../db/database.ts';
import type { RefundSource } from './refundPayment.ts';

/** For operators: includes the names of those who decided. */
interface Refund {
  readonly refundId: string;
  readonly paymentId: string;
  readonly blockchain: string;
  readonly source: RefundSource;
  readonly amount: bigint;
  readonly reason: string;
  /** Of the payment that returns the money. */
  readonly note: string | null;
  readonly proposedBy: string;
  readonly proposedAt: Date;
  readonly approvedBy: string | null;
  /** When the money moved; null: it waits for a second operator, or was denied. */
  readonly bookedAt: Date | null;
  readonly deniedBy: string | null;
}

/**
 * The refunds of a payment, or the one that this payment is; without an id, all that wait for a second operator. Oldest
 * first.
 */
export const listRefunds = (db: Queryable, paymentId?: string): Promise<Refund[]> =>
  db.query<Refund>(
    `SELECT r.refund_id AS "refundId", r.payment_id AS "paymentId", n.blockchain, r.source, r.amount, r.reason,
            r.proposed_by AS "proposedBy", r.proposed_at AS "proposedAt", r.approved_by AS "approvedBy",
            r.booked_at AS "bookedAt", r.denied_by AS "deniedBy",
            (SELECT note FROM payment_notes WHERE payment_id = r.refund_id) AS note
       FROM refunds r CROSS JOIN LATERAL transfers_by_id(ARRAY[r.payment_id]) t JOIN assets USING (asset_id)
       JOIN networks n USING (network_id)
      WHERE ${paymentId === undefined ? 'r.booked_at IS NULL AND r.denied_at IS NULL' : '$1 IN (r.payment_id, r.refund_id)'}
      ORDER BY r.proposed_at, r.refund_id`,
    paymentId === undefined ? [] : [paymentId],
  );
