import { formatUsdc } from '../../core/money.ts';
import type { Warning } from '../../payments/payouts/findWarnings.ts';
import { describeFault, type Fault, ITEM_STATES, type OnShortage, type Payout } from '../../payments/payouts/payout.ts';
import type { PayoutItem } from '../../payments/payouts/readItems.ts';
import { renderTime } from '../answers/renderTime.ts';

/** Describes what happens to rows that exceed the balance or a limit. */
const RULES: Readonly<Record<OnShortage, string>> = {
  wait: 'Rows are paid in the order of the file. A row that exceeds the balance or a limit waits, and later rows are tried. It is tried again every few seconds until waits_until, then it fails.',
  fail: 'Rows are paid in the order of the file. A row that exceeds the balance or a limit fails immediately, and later rows are tried.',
};

const NOTHING = { count: 0, total: 0n };
const printSum = ({ count, total }: { readonly count: number; readonly total: bigint }) => ({
  count,
  total: formatUsdc(total),
});
const printTime = (at: Date | null) => at && renderTime(at.getTime());
const printFault = (fault: Fault | null) => fault && { code: fault.code, detail: describeFault(fault) };

export const renderPayout = (payout: Payout, warnings: readonly Warning[] = []) => ({
  payout_id: payout.payoutId,
  state: payout.state,
  payer: payout.payerId === null ? 'treasury' : payout.payerName,
  count: payout.all.count - payout.known.count,
  total: formatUsdc(payout.all.total - payout.known.total),
  fees: '0',
  paid_before: printSum(payout.known),
  totals: payout.byBlockchain.map(({ blockchain, to, ...sum }) => ({ blockchain, to, ...printSum(sum) })),
  rows: Object.fromEntries(ITEM_STATES.map((state) => [state, printSum(payout.byState[state] ?? NOTHING)])),
  on_shortage: payout.onShortage,
  rule: RULES[payout.onShortage],
  waiting_for: printFault(payout.waitsFor),
  // The time begins with the last approval.
  waits_until: payout.state === 'approving' ? null : printTime(payout.waitsUntil),
  approvals: { needed: payout.approvalsNeeded, given: payout.approvals },
  file: { content_type: payout.file.contentType, bytes: payout.file.bytes, sha256: payout.file.sha256 },
  warnings,
  created_at: renderTime(payout.createdAt.getTime()),
  confirmed_at: printTime(payout.confirmedAt),
  ended_at: printTime(payout.endedAt),
});

export const renderItem = (item: PayoutItem) => ({
  row: item.row,
  reference: item.reference,
  to: item.to,
  amount: formatUsdc(item.amount),
  blockchain: item.blockchain,
  note: item.note,
  state: item.state,
  transaction_id: item.paymentId,
  transaction_state: item.paymentState,
  hash: item.txHash,
  error: printFault(item.error),
});
