import { formatUsdc } from '../../core/money.ts';
import type { Party, Payment } from '../../core/payment.ts';
import type { HistoryItem } from '../../payments/read/readPayments.ts';
import { isFinal } from '../../payments/state.ts';

const COLUMNS =
  'transaction_id,created_at,updated_at,kind,state,amount,blockchain,from,to,available_after,tx_hash,network_fee,error_reason,note,payment_note,balance_change,refund_of,reason';

/** A page of history as RFC 4180 CSV, with the balance after every row. */
export function renderStatement(items: readonly HistoryItem[]): string {
  const lines = items.map(({ payment, availableAfter, isIncoming }) =>
    [
      payment.paymentId,
      payment.createdAt.toISOString(),
      payment.updatedAt.toISOString(),
      payment.kind,
      payment.state,
      formatUsdc(payment.amount),
      payment.blockchain,
      nameOf(payment.from),
      nameOf(payment.to),
      formatUsdc(availableAfter),
      payment.txHash ?? '',
      payment.networkFee === null ? '' : formatUsdc(payment.networkFee),
      payment.errorReason ?? '',
      payment.timeline.at(-1)?.note ?? '',
    ]
      .map((text) => renderField(text))
      .concat(
        renderField(payment.paymentNote ?? '', FREE_FORMULA),
        renderField(renderChange(payment, isIncoming)),
        payment.refundOf ?? '',
        renderField(payment.reason ?? '', FREE_FORMULA),
      )
      .join(','),
  );
  return [COLUMNS, ...lines, ''].join('\r\n');
}

/** The amount with its sign. What has ended unpaid has changed nothing. */
function renderChange({ state, amount }: Payment, isIncoming: boolean): string {
  if (isFinal(state) && state !== 'COMPLETE') return '0';
  return formatUsdc(isIncoming ? amount : -amount);
}

const nameOf = (party: Party): string =>
  ('address' in party ? party.address : 'walletId' in party ? party.walletId : party.username) ?? '';

/** Of our own fields, amounts may be negative. A note may be anything, such as `-2+cmd|…`. */
const FORMULA = /^[=+@\t\r]|^-(?!\d)/;
const FREE_FORMULA = /^\s*[=+@-]/;

/** Prefixes a field that a spreadsheet would read as a formula, so that it is shown as text. */
function renderField(text: string, formula = FORMULA): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
