import type { Payment } from '../../core/payment.ts';
import type { Queryable } from '../../db/database.ts';
import { IS_PAYMENT, PAYMENT_COLUMNS, PAYMENT_JOINS, type PaymentRow, toPayment } from './paymentRow.ts';

/** With a `party`, only payments that this person pays or receives. */
export async function findPayment(db: Queryable, paymentId: string, party?: string): Promise<Payment | undefined> {
  const isTheirs = party === undefined ? '' : 'AND $2 IN (debit.user_id, credit.user_id)';
  const [row] = await db.query<PaymentRow>(
    `SELECT ${PAYMENT_COLUMNS} FROM transfers_by_id(ARRAY[$1::uuid]) t ${PAYMENT_JOINS} WHERE ${IS_PAYMENT} ${isTheirs}`,
    party === undefined ? [paymentId] : [paymentId, party],
  );
  return row && toPayment(row);
}

export async function findPayments(db: Queryable, paymentIds: readonly string[]): Promise<Map<string, Payment>> {
  const rows = await db.query<PaymentRow>(
    `SELECT ${PAYMENT_COLUMNS} FROM transfers_by_id($1) t ${PAYMENT_JOINS} WHERE ${IS_PAYMENT}`,
    [paymentIds],
  );
  return new Map(rows.map((row) => [row.transfer_id, toPayment(row)]));
}

/** Whether this id was paid or refused before. */
export async function isDecided(db: Queryable, paymentId: string): Promise<boolean> {
  const rows = await db.query(
    `SELECT FROM transfers_by_id(ARRAY[$1::uuid]) UNION ALL SELECT FROM refusals WHERE payment_id = $1`,
    [paymentId],
  );
  return rows.length > 0;
}
