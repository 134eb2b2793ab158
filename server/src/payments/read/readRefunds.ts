import { formatUsdc } from '../../core/money.ts';
import type { Payment, TimelineStep } from '../../core/payment.ts';
import type { Queryable } from '../../db/database.ts';

interface RefundRow {
  readonly refund_id: string;
  readonly payment_id: string;
  readonly amount: bigint;
  readonly source: 'receiver' | 'treasury';
  readonly reason: string;
  readonly at: Date;
  /** The total of refunds of the same payment, including this one. */
  readonly so_far: bigint;
}

/** Links a payment and its refunds: a step in the timelines of both. */
export async function readRefunds(db: Queryable, { paymentId, amount }: Payment): Promise<TimelineStep[]> {
  const rows = await db.query<RefundRow>(
    `SELECT refund_id, payment_id, amount, source, reason, booked_at AS at,
            sum(amount) OVER (ORDER BY booked_at, refund_id)::bigint AS so_far
       FROM refunds WHERE (payment_id = $1 OR refund_id = $1) AND booked_at IS NOT NULL ORDER BY booked_at, refund_id`,
    [paymentId],
  );
  return rows.map((row) => {
    const note = row.refund_id === paymentId ? describeRefund(row) : describeRefunded(row, amount);
    return { state: null, at: row.at, txHash: null, note };
  });
}

const describeRefund = ({ payment_id: paymentId, reason }: RefundRow): string =>
  `refund of payment ${paymentId}: ${reason}`;

/** The payment's state does not change: it was paid. */
function describeRefunded({ refund_id: refundId, amount, source, so_far: soFar }: RefundRow, paid: bigint): string {
  const by = source === 'treasury' ? ' by the service' : '';
  return `${formatUsdc(amount)} USDC given back${by} in payment ${refundId}, ${formatUsdc(soFar)} of ${formatUsdc(paid)} so far`;
}
