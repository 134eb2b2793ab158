import { parseUsdc } from '../../../server/src/core/money.ts';
import type { Queryable } from '../../../server/src/db/database.ts';
import { renderListed } from '../../../server/src/http/answers/renderPayment.ts';
import {
  type HistoryFilter,
  type HistoryPosition,
  readPayments,
} from '../../../server/src/payments/read/readPayments.ts';

/** A transaction of a person's history, as the HTTP interface shows it. */
export interface ShownTransaction {
  readonly transaction_id: string;
  readonly kind: string;
  readonly state: string;
  readonly amount: string;
  readonly blockchain: string;
  readonly from: { readonly username?: string | null; readonly address?: string | null; readonly wallet_id?: string };
  readonly to: { readonly username?: string | null; readonly address?: string | null };
  readonly timeline: readonly { readonly note: string | null }[];
  readonly available_after: string;
}

export interface Row extends ShownTransaction {
  /** The amount. */
  readonly units: bigint;
  /** A deposit too small for a listing without a filter on amounts. */
  readonly isDust: boolean;
}

/** The whole history, dust included, page after page. */
export async function readRows(db: Queryable, userId: string, limit: number): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { items } of readPages(db, userId, limit, { minAmount: 0n }))
    for (const { payment, availableAfter } of items) {
      const shown = JSON.parse(JSON.stringify(renderListed(payment, availableAfter))) as ShownTransaction;
      const units = parseUsdc(shown.amount);
      rows.push({ ...shown, units, isDust: shown.kind === 'deposit' && units < 10_000n });
    }
  return rows;
}

export async function* readPages(db: Queryable, userId: string, limit: number, filter: HistoryFilter) {
  let after: HistoryPosition | undefined;
  do {
    const page = await readPayments(db, { userId, limit, ...filter, ...(after && { after }) });
    yield page;
    after = page.next;
  } while (after);
}

/** By blockchain. */
export function sumRows(rows: readonly Row[], value: (row: Row) => bigint): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const row of rows) sums.set(row.blockchain, (sums.get(row.blockchain) ?? 0n) + value(row));
  return sums;
}
