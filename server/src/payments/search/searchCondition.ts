import { parseUsdc } from '../../core/money.ts';

/** Shorter beginnings of ids would match a part of everything. */
const SHORTEST_ID = 8;

/**
 * An SQL condition on a row `t` of `transfers`: the words of the history's owner occur in what they see of the payment,
 * in upper or lower case. That is the note, the other person's name (the current one and the one at the time), the
 * address, or the reason of a refund or correction; or it is the amount, the chain transaction, or the beginning of the
 * id. `other` is the account of the other side.
 */
export function searchCondition(text: string, other: string, bind: (value: unknown) => string): string {
  const wanted = `lower(${bind(text.trim())})`;
  const name = `lower(${bind(text.trim().replace(/^@/, ''))})`;
  const has = (column: string) => `strpos(lower(${column}), ${wanted}) > 0`;
  const amount = parseSearched(text);
  return `(${[
    ...(amount === undefined ? [] : [`t.amount = ${bind(amount)}`]),
    ...(text.trim().length < SHORTEST_ID ? [] : [`starts_with(t.transfer_id::text, ${wanted})`]),
    `EXISTS (SELECT FROM payment_notes n WHERE n.payment_id = t.transfer_id AND ${has('n.note')})`,
    `CASE t.kind
       WHEN 'user' THEN strpos(lower(CASE WHEN t.debit_account = $1 THEN t.to_name ELSE t.from_name END), ${name}) > 0
         OR EXISTS (SELECT FROM accounts a JOIN usernames u ON u.user_id = a.user_id AND u.redirect_until IS NULL
                     WHERE a.account_id = ${other} AND strpos(u.username, ${name}) > 0)
         OR EXISTS (SELECT FROM refunds r WHERE r.refund_id = t.transfer_id AND ${has('r.reason')})
       WHEN 'hold' THEN EXISTS (SELECT FROM payments p WHERE p.payment_id = t.transfer_id
                                   AND (${has('p.destination')} OR lower(p.tx_hash) = ${wanted}))
       WHEN 'deposit' THEN ${has('t.from_name')}
         OR EXISTS (SELECT FROM deposits d WHERE d.transfer_id = t.transfer_id AND lower(d.tx_hash) = ${wanted})
       ELSE EXISTS (SELECT FROM corrections c WHERE c.correction_id = t.transfer_id AND ${has('c.reason')}) END`,
  ].join(' OR ')})`;
}

/** What is written like an amount, such as 12.50, also finds that amount. */
const parseSearched = (text: string): bigint | undefined =>
  /^\d{1,9}(\.\d{1,6})?$/.test(text.trim()) ? parseUsdc(text.trim()) : undefined;
