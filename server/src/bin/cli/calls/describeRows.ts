import { type ErrorCode, errorTable } from '../../../core/errors.ts';
import type { Queryable } from '../../../db/database.ts';
import { findPayments } from '../../../payments/read/findPayment.ts';
import { findRefusal } from '../../../payments/read/readBackground.ts';
import { renderTime, renderUsdc } from '../../program/render.ts';

/** What became of these ids, in words: payments and refusals. An id without a row has no entry. */
export async function describeRows(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  const described = new Map<string, string>();
  for (const [id, { state, amount, createdAt }] of await findPayments(db, ids))
    described.set(id, `payment ${state}, ${renderUsdc(amount)}, made at ${renderTime(createdAt)}`);
  for (const id of ids.filter((one) => !described.has(one))) {
    const refusal = await findRefusal(db, id);
    if (refusal) described.set(id, `refused at ${renderTime(refusal.createdAt)}: ${explainCode(refusal.code)}`);
  }
  return described;
}

/** A code with its title. */
export function explainCode(code: string): string {
  const row = Object.hasOwn(errorTable, code) ? errorTable[code as ErrorCode] : undefined;
  return row ? `${code}: ${row.title}` : code;
}
