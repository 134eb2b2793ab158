/** The person's payments as a table for spreadsheets, written from the same history that the wallet shows. */

import { describePayment } from './money/describePayment.ts';
import { florin, session } from './session.ts';

type Query = NonNullable<Parameters<typeof florin.history>[0]>;

const COLUMNS = [
  'transaction_id',
  'created_at',
  'kind',
  'state',
  'from',
  'to',
  'amount',
  'blockchain',
  'tx_hash',
  'available_after',
  'payment_note',
  'balance_change',
  'fee',
  'refund_of',
  'reason',
] as const;

const nameOf = (party: object): string =>
  Object.entries(party).find(([name]) => ['username', 'address', 'wallet_id'].includes(name))?.[1] ?? '';

/** What people have written may be anything, such as `-2+cmd|…`; our own fields may be negative amounts. */
const FORMULA = /^[=+@\t\r]|^-(?!\d)/;
const FREE_FORMULA = /^\s*[=+@-]/;

/** Prefixes a field that a spreadsheet would read as a formula, so that it is shown as text. */
function renderField(text: string, isFree: boolean): string {
  const safe = (isFree ? FREE_FORMULA : FORMULA).test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** With the sign of their effect. What has ended unpaid has changed nothing. */
export async function readStatement(query: Query = {}): Promise<string> {
  const now = session.get();
  const own = now.is === 'in' ? now.user.username : null;
  const lines: string[] = [COLUMNS.join(',')];
  for await (const one of florin.history({ limit: 200, ...query })) {
    const { isIncoming, isVoid } = describePayment(one, own);
    const row: Record<string, unknown> = {
      ...one,
      from: nameOf(one.from),
      to: nameOf(one.to),
      balance_change: isVoid ? '0' : isIncoming ? one.amount : `-${one.amount}`,
      fee: isIncoming ? '' : '0',
    };
    const cells = COLUMNS.map((name) =>
      renderField(String(row[name] ?? ''), name === 'payment_note' || name === 'reason'),
    );
    lines.push(cells.join(','));
  }
  return `${lines.join('\r\n')}\r\n`;
}
