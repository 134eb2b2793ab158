/** Verbs of `florin payment` that refund payments. */
import { formatUsdc, parseUsdc, type Usdc } from '../../../core/money.ts';
import { listRefunds } from '../../../payments/refunds/listRefunds.ts';
import {
  approveRefund as approveProposed,
  denyRefund as denyProposed,
  proposeRefund,
  type RefundOutcome,
  refundPayment,
} from '../../../payments/refunds/refundPayment.ts';
import { verb } from '../../program/command.ts';
import { CommandFault, EXIT, misused, unknown } from '../../program/faults.ts';
import { parseId } from '../../program/lookups.ts';
import { parseReason, WHY } from '../../program/reason.ts';
import { renderTable, renderTime, renderUsdc } from '../../program/render.ts';

export const refund = verb({
  summary: 'Refunds a COMPLETE payment, or a part of it, with a new payment',
  about: `The money comes from the receiver's available balance and goes to the payer: a person or the treasury. With --treasury the
service pays, and another operator must approve the refund. Use this for sends to addresses, and for payments whose receiver
has too little. All refunds of a payment together never exceed its amount. The payment stays COMPLETE, and both timelines
show the other payment. The same command again is the same refund; a second refund of the same amount needs another reason.`,
  words: ['PAYMENT'],
  options: {
    amount: { type: 'string', value: 'USDC', summary: 'a part; default: the full remaining amount' },
    treasury: { type: 'boolean', summary: 'the service pays, after a second operator has approved it' },
    why: { type: 'string', value: 'TEXT', summary: 'the reason; both people and the audit log see it' },
  },
  examples: [
    'payment refund 7d9f3c1e-… --why "the shop sent nothing"',
    'payment refund 7d9f3c1e-… --amount 2.50 --treasury --why "our fault"',
  ],
  async run({ db, allow }, { words: [word], options }) {
    const paymentId = parseId(word, 'payment', 'florin payment show');
    const wanted = { paymentId, amount: parseAmount(options.amount), reason: parseReason(options.why) };
    await allow('approve');
    const done = await (options.treasury ? proposeRefund(db, wanted) : refundPayment(db, wanted));
    const { refundId, amount = 0n } = done;
    if (done.outcome === 'refunded') return `Refunded: ${renderUsdc(amount)}, in payment ${refundId}.\n`;
    if (done.outcome === 'before') return `Already refunded: ${renderUsdc(amount)}, in payment ${refundId}.\n`;
    if (done.outcome === 'proposed' || done.outcome === 'waits') {
      return `Proposed: ${renderUsdc(amount)} from the treasury. Another operator must approve it:\nflorin payment approve-refund ${refundId}\n`;
    }
    throw refuse(done);
  },
});

export const approveRefund = verb({
  summary: 'Approves a treasury refund that another operator has proposed',
  about: 'The approval pays it. florin payment refunds shows the refunds that wait.',
  words: ['REFUND'],
  async run({ db, allow }, { words: [word] }) {
    const refundId = parseId(word, 'refund', 'florin payment refunds');
    await allow('approve');
    const done = await approveProposed(db, refundId);
    if (done.outcome === 'unknown') throw unknown(`there is no treasury refund ${refundId}`);
    if (done.outcome === 'before') return `Already approved and paid, in payment ${refundId}.\n`;
    if (done.outcome !== 'refunded') throw refuse(done);
    return `Refunded: ${renderUsdc(done.amount ?? 0n)}, in payment ${refundId}.\n`;
  },
});

export const denyRefund = verb({
  summary: 'Denies a treasury refund that waits for approval; one denial is enough',
  words: ['REFUND'],
  options: { why: WHY },
  async run({ db, allow }, { words: [word], options }) {
    const refundId = parseId(word, 'refund', 'florin payment refunds');
    const reason = parseReason(options.why);
    await allow('approve');
    const done = await denyProposed(db, refundId, reason);
    if (done.outcome === 'unknown') throw unknown(`there is no treasury refund ${refundId}`);
    if (done.outcome === 'before') throw new CommandFault('it is already approved and paid');
    if (done.outcome !== 'denied') throw refuse(done);
    return 'Denied; nothing was paid.\n';
  },
});

export const refunds = verb({
  summary: 'Shows the refunds of a payment, or all refunds that wait for a second operator',
  words: ['[PAYMENT]'],
  reads: true,
  async run({ db }, { words: [word] }) {
    const found = await listRefunds(
      db,
      word === undefined ? undefined : parseId(word, 'payment', 'florin payment show'),
    );
    const json = found.map((one) => ({
      refund_id: one.refundId,
      refund_of: one.paymentId,
      amount: formatUsdc(one.amount),
      blockchain: one.blockchain,
      source: one.source,
      reason: one.reason,
      proposed_by: one.proposedBy,
      proposed_at: one.proposedAt,
      approved_by: one.approvedBy,
      booked_at: one.bookedAt,
      denied_by: one.deniedBy,
    }));
    if (found.length === 0) return { text: word ? 'There are no refunds.\n' : 'No refunds are waiting.\n', json };
    const rows = found.map((one) => [
      one.refundId,
      one.paymentId,
      renderUsdc(one.amount),
      one.source,
      one.bookedAt ? renderTime(one.bookedAt) : one.deniedBy ? 'denied' : 'waits for a second operator',
      [one.proposedBy, one.approvedBy ?? one.deniedBy].filter(Boolean).join(', '),
      one.reason,
    ]);
    return { text: renderTable([['refund', 'of payment', 'amount', 'from', 'paid', 'by', 'why'], ...rows]), json };
  },
});

const REFUSED: Readonly<Partial<Record<RefundOutcome, string>>> = {
  unknown: 'there is no such payment',
  deposit: 'it came from outside: return it with a payment to an address',
  is_refund: 'it is a refund itself and cannot be refunded',
  unpaid: 'it is not COMPLETE; cancel it, or wait: florin payment cancel',
  own: 'the treasury paid it: a person can return it (without --treasury), an address cannot',
  closed:
    'the payer has closed their account, and nothing was refunded. Pay them at an address that they prove to be theirs',
  sent_away: 'it went to an address: only the treasury can refund it (--treasury)',
  mismatch: 'its id belongs to something else',
  insufficient: 'less than that is available; with --treasury the service pays',
  denied: 'it was denied; to propose a new refund, give another reason',
  not_operator: 'you or the proposer are not a named operator who may approve: florin operator list',
  same_person: 'you proposed it yourself; another operator must approve it',
};

function refuse(done: { outcome: RefundOutcome; left?: bigint | undefined; reason?: string | undefined }) {
  const { outcome, left = 0n, reason } = done;
  if (outcome === 'unknown') return unknown(REFUSED.unknown!);
  if (outcome === 'paused') return new CommandFault(`everything is paused: ${reason}`);
  if (outcome === 'too_much') {
    return new CommandFault(
      left > 0n ? `only ${renderUsdc(left)} of it can still be refunded` : 'it is already fully refunded',
    );
  }
  const isForbidden = outcome === 'not_operator' || outcome === 'same_person';
  return new CommandFault(REFUSED[outcome] ?? outcome, isForbidden ? EXIT.forbidden : EXIT.failed);
}

function parseAmount(text: string | undefined): Usdc | undefined {
  if (text === undefined) return undefined;
  const amount = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? parseUsdc(text) : (0n as Usdc);
  if (amount === 0n) throw misused(`--amount ${text} is not an amount such as 12.50`);
  return amount;
}
