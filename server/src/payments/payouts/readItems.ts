import { formatUsdc } from '../../core/money.ts';
import type { PaymentState } from '../../core/payment.ts';
import type { Queryable } from '../../db/database.ts';
import { printCell } from './parseCsv.ts';
import { describeFault, type Fault, type ItemState } from './payout.ts';

export interface PayoutItem {
  readonly row: number;
  readonly reference: string;
  /** As it was written: a name in lower case, or a checksummed address. */
  readonly to: string;
  readonly amount: bigint;
  readonly blockchain: string;
  readonly note: string | null;
  readonly state: ItemState;
  /** Null while there is no payment. */
  readonly paymentId: string | null;
  readonly paymentState: PaymentState | null;
  readonly txHash: string | null;
  readonly error: Fault | null;
}

export interface ItemRow {
  readonly nth: number;
  readonly reference: string;
  readonly to: string;
  readonly amount: bigint;
  readonly blockchain: string;
  readonly note: string | null;
  readonly state: ItemState;
  readonly payment_id: string;
  readonly payment_state: PaymentState | null;
  readonly tx_hash: string | null;
  readonly error: Fault | null;
}

interface ItemsQuery {
  readonly payoutId: string;
  readonly state?: ItemState | undefined;
  /** The last row of the previous page; 0 at the beginning. */
  readonly after: number;
  readonly limit: number;
}

/** In the order of the file. */
export async function readItems(db: Queryable, query: ItemsQuery): Promise<PayoutItem[]> {
  const rows = await db.query<ItemRow>(
    `SELECT i.nth, i.reference, coalesce(i.username, i.destination) AS to, i.amount, i.blockchain, i.note, i.state,
            i.payment_id, p.state AS payment_state, p.tx_hash, i.error
       FROM (SELECT * FROM payout_items WHERE payout_id = $1 AND nth > $2 AND ($3::text IS NULL OR state = $3)
              ORDER BY nth LIMIT $4) i
       LEFT JOIN payments p ON p.payment_id = i.payment_id AND i.destination IS NOT NULL
      ORDER BY i.nth`,
    [query.payoutId, query.after, query.state ?? null, query.limit],
  );
  return rows.map(toItem);
}

export function toItem(row: ItemRow): PayoutItem {
  const isPerson = row.payment_state === null;
  const isBegun = row.state === 'paid' || row.state === 'sent' || row.error?.code === 'payment.ended';
  return {
    row: row.nth,
    reference: row.reference,
    to: row.to,
    amount: row.amount,
    blockchain: row.blockchain,
    note: row.note,
    state: row.state,
    paymentId: isBegun ? row.payment_id : null,
    paymentState: !isBegun ? null : isPerson ? 'COMPLETE' : row.payment_state,
    txHash: isBegun ? row.tx_hash : null,
    error: row.error,
  };
}

const PAGE = 1_000;
const ANSWER_COLUMNS = ['reference', 'to', 'amount', 'blockchain', 'note', 'state', 'transaction_id', 'hash', 'error'];

/**
 * The rows in the order of the file, with their outcomes. Each page is read when the previous ones have been consumed.
 */
export async function* printItems(db: Queryable, payoutId: string): AsyncGenerator<string, void, void> {
  yield `${ANSWER_COLUMNS.join(',')}\r\n`;
  for (let after = 0; ; ) {
    const items = await readItems(db, { payoutId, after, limit: PAGE });
    if (items.length === 0) return;
    after = items.at(-1)!.row;
    yield items.map(printItem).join('');
  }
}

function printItem(item: PayoutItem): string {
  const error = item.error ? `${item.error.code}: ${describeFault(item.error)}` : '';
  const cells = [
    item.reference,
    item.to,
    formatUsdc(item.amount),
    item.blockchain,
    item.note ?? '',
    item.state,
    item.paymentId ?? '',
    item.txHash ?? '',
    error,
  ];
  return `${cells.map(printCell).join(',')}\r\n`;
}
