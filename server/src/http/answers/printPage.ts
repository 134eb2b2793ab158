import { formatUsdc } from '../../core/money.ts';
import type { HistoryPage } from '../../payments/read/openHistory.ts';
import type { PlainPayment } from '../../payments/read/plainPayment.ts';
import { renderPayment } from './renderPayment.ts';

/**
 * A page of history as JSON text. Written by hand, because a page has fifty payments and most of them are plain:
 * `JSON.stringify` of as many objects took three times as long. Nothing of a plain payment needs escaping: ids, times,
 * amounts, names of ^[a-z0-9_]+$; an address that a chain gave us is escaped.
 */
export function printPage({ username, payments }: HistoryPage, cursor: string | null): string {
  let text = `{"username":"${username}","transactions":[`;
  for (let i = 0; i < payments.length; i++) {
    const payment = payments[i]!;
    if (i > 0) text += ',';
    text += 'atMs' in payment ? recallPlain(payment) : JSON.stringify(renderPayment(payment));
  }
  return `${text}],"next_cursor":${cursor === null ? 'null' : `"${cursor}"`}}`;
}

/** A payment on a page that is kept is printed once. */
const printed = new WeakMap<PlainPayment, string>();

function recallPlain(payment: PlainPayment): string {
  const known = printed.get(payment);
  if (known !== undefined) return known;
  const text = printPlain(payment);
  printed.set(payment, text);
  return text;
}

function printPlain({ paymentId, kind, amount, blockchain, from, to, typed, atMs }: PlainPayment): string {
  const at = new Date(atMs).toISOString();
  const sender = kind === 'deposit' ? `"address":${JSON.stringify(from)}` : `"username":${printName(from)}`;
  const redirected = typed === undefined ? '' : `,"redirected_from":"${typed}"`;
  return (
    `{"transaction_id":"${paymentId}","state":"COMPLETE","kind":"${kind}","amount":"${formatUsdc(amount)}",` +
    `"blockchain":"${blockchain}","from":{${sender}},"to":{"username":${printName(to)}${redirected}},"tx_hash":null,` +
    `"network_fee":null,"error_reason":null,"created_at":"${at}","updated_at":"${at}",` +
    `"timeline":[{"at":"${at}","state":"COMPLETE","tx_hash":null,"note":null}]}`
  );
}

const printName = (name: string | null): string => (name === null ? 'null' : `"${name}"`);
