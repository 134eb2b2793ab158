import { formatUsdc } from '../../core/money.ts';
import { renderCursor } from '../../payments/read/historyCursor.ts';
import type { HistoryPage } from '../../payments/read/keptPages.ts';
import type { PlainPayment } from '../../payments/read/plainPayment.ts';
import { renderPayment } from './renderPayment.ts';

interface PrintedPage {
  /** As bytes: a string of this length is copied three times on its way to the socket. */
  readonly body: Buffer;
  readonly cursor: string | null;
}

/** A page that is shown again as it was is the same object, and printed once. */
const pages = new WeakMap<HistoryPage, PrintedPage>();

/**
 * A page of history as JSON text. Written by hand, because a page has fifty payments and most of them are plain:
 * `JSON.stringify` of as many objects took three times as long. Nothing of a plain payment needs escaping: ids, times,
 * amounts, names of ^[a-z0-9_]+$; an address that a chain gave us is escaped.
 */
export function printPage(page: HistoryPage): PrintedPage {
  const known = pages.get(page);
  if (known) return known;
  const { username, payments, next } = page;
  const cursor = next ? renderCursor(next) : null;
  let text = `{"username":"${username}","transactions":[`;
  for (let i = 0; i < payments.length; i++) {
    const payment = payments[i]!;
    if (i > 0) text += ',';
    text += 'atMs' in payment ? recallPlain(payment) : JSON.stringify(renderPayment(payment));
  }
  const printed = { body: Buffer.from(`${text}],"next_cursor":${cursor === null ? 'null' : `"${cursor}"`}}`), cursor };
  pages.set(page, printed);
  return printed;
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
