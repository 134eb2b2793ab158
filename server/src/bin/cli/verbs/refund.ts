/** Verbs of `florin payment` that refund payments. */
import { formatUsdc, parseUsdc, type Usdc } from '../../../core/money.ts';
import { isNote } from '../../../core/note.ts';
import type { Queryable } from '../../../db/database.ts';
import type { AuditActor } from '../../../operators/recordAudit.ts';
import { listRefunds } from '../../../payments/refunds/listRefunds.ts';
import {
  approveRefund as approveProposed,
  denyRefund as denyProposed,
  proposeRefund,
  type RefundOutcome,
  refundIdOf,
  refundPayment,
} from '../../../payments/refunds/refundPayment.ts';
import { describeNotOperator, requireApprover } from '../../program/approvers.ts';
import { type Fact, verb } from '../../program/command.ts';
import { CommandFault, EXIT, misused, unknown } from '../../program/faults.ts';
import { parseId } from '../../program/lookups.ts';
import { parseReason, WHY } from '../../program/reason.ts';
import { renderTable, renderTime, renderUsdc } from '../../program/render.ts';
import { readPaymentFacts } from './paymentFacts.ts';

export const refund = verb({
  summary: 'Refunds a COMPLETE payment, or a part of it, with a new payment',
  about: `The money comes from the receiver's available balance and goes to the payer: a person or the treasury. With --treasury the
service pays, and another operator must approve the refund. Use this for sends to addresses, and for payments whose receiver
has too little. All refunds of a payment together never exceed its amount. The payment stays COMPLETE, and both timelines
show the other payment. The same command again is the same refund; a second refund of the same amount needs another reason or note.`,
  words: ['PAYMENT'],
  options: {
    amount: { type: 'string', value: 'USDC', summary: 'a part; default: the full remaining amount' },
    treasury: { type: 'boolean', summary: 'the service pays, after a second operator has approved it' },
    why: { type: 'string', value: 'TEXT', summary: 'the reason; both people and the audit log see it' },
    note: {
      type: 'string',
      value: 'TEXT',
      summary: 'a note on the new payment, at most 140 characters; both people see it',
    },
  },
  examples: [
    'payment refund 7d9f3c1e-… --why "the shop sent nothing"',
    'payment refund 7d9f3c1e-… --amount 2.50 --treasury --why "our fault"',
  ],
  async plan({ db, allow }, { words: [word], options }) {
    const paymentId = parseId(word, 'payment', 'florin payment show');
    const named = {
      paymentId,
      amount: parseAmount(options.amount),
      reason: parseReason(options.why),
      note: parseNote(options.note),
    };
    const actor = await allow('approve');
    await requireApprover(db, actor);
    const { payment, facts } = await readPaymentFacts(db, paymentId);
    const earlier = await listRefunds(db, paymentId);
    const refundId = refundIdOf(named, options.treasury ? 'treasury' : 'receiver');
    const same = earlier.find((one) => one.refundId === refundId);
    if (same) return describeSame(same);
    const before = sumRefunds(earlier, paymentId);
    const rest = payment.amount - before;
    if (named.amount === undefined && rest <= 0n) throw new CommandFault(NOTHING_LEFT(paymentId));
    const wanted = { ...named, ...(named.amount === undefined && { rest }) };
    const amount = named.amount ?? rest;
    return {
      title: options.treasury
        ? 'Propose to refund this payment from the treasury. Nothing is paid until another operator approves it.'
        : "Refund this payment from its receiver's balance, immediately.",
      facts: [...facts, ['state', payment.state], ['why', wanted.reason], ['note', wanted.note]],
      changes: [
        {
          what: options.treasury ? 'the treasury pays' : 'its receiver pays',
          before: `${renderUsdc(before)} of ${renderUsdc(payment.amount)} refunded or proposed`,
          after: renderUsdc(before + amount),
        },
      ],
      async carryOut() {
        const done = await (options.treasury ? proposeRefund(db, wanted) : refundPayment(db, wanted));
        const sum = renderUsdc(done.amount ?? 0n);
        if (done.outcome === 'refunded') return `Refunded: ${sum}, in payment ${refundId}.\n`;
        if (done.outcome === 'before') return describeRefunded(refundId, done.amount ?? 0n);
        if (done.outcome === 'proposed' || done.outcome === 'waits') {
          return describeProposed(refundId, done.amount ?? 0n);
        }
        throw await refuse(db, actor, done);
      },
    };
  },
});

const NOTHING_LEFT = (paymentId: string) =>
  `it is already fully refunded, or that is proposed: florin payment refunds ${paymentId}`;

/** The same command was carried out before: there is nothing to ask. */
function describeSame({ refundId, amount, bookedAt, deniedBy }: Refund): string {
  if (deniedBy) throw new CommandFault(REFUSED.denied!);
  return bookedAt ? describeRefunded(refundId, amount) : describeProposed(refundId, amount);
}

const describeRefunded = (refundId: string, amount: bigint): string =>
  `Already refunded: ${renderUsdc(amount)}, in payment ${refundId}.\n`;

const describeProposed = (refundId: string, amount: bigint): string =>
  `Proposed: ${renderUsdc(amount)} from the treasury. Another operator must approve it:\nflorin payment approve-refund ${refundId}\n`;

export const approveRefund = verb({
  summary: 'Approves a treasury refund that another operator has proposed',
  about: 'The approval pays it. florin payment refunds shows the refunds that wait.',
  words: ['REFUND'],
  async plan({ db, allow }, { words: [word] }) {
    const refundId = parseId(word, 'refund', 'florin payment refunds');
    const actor = await allow('approve');
    await requireApprover(db, actor);
    const { amount, bookedAt, ...about } = await getRefund(db, refundId);
    if (bookedAt) return `Already approved and paid, in payment ${refundId}.\n`;
    if (`operator:${about.proposedBy}` === actor) throw await refuse(db, actor, { outcome: 'same_person' });
    return {
      title: 'Approve this refund. The treasury pays it immediately.',
      facts: await describeRefund(db, about),
      changes: [{ what: 'the treasury pays', before: renderUsdc(0n), after: renderUsdc(amount) }],
      async carryOut() {
        const done = await approveProposed(db, refundId);
        if (done.outcome === 'unknown') throw unknown(`there is no treasury refund ${refundId}`);
        if (done.outcome === 'before') return `Already approved and paid, in payment ${refundId}.\n`;
        if (done.outcome !== 'refunded') throw await refuse(db, actor, done);
        return `Refunded: ${renderUsdc(done.amount ?? 0n)}, in payment ${refundId}.\n`;
      },
    };
  },
});

export const denyRefund = verb({
  summary: 'Denies a treasury refund that waits for approval; one denial is enough',
  words: ['REFUND'],
  options: { why: WHY },
  async plan({ db, allow }, { words: [word], options }) {
    const refundId = parseId(word, 'refund', 'florin payment refunds');
    const reason = parseReason(options.why);
    const actor = await allow('approve');
    const { amount, bookedAt, ...about } = await getRefund(db, refundId);
    if (bookedAt) throw new CommandFault(PAID);
    return {
      title: 'Deny this refund. Nothing is paid.',
      facts: [...(await describeRefund(db, about)), ['denied because', reason]],
      changes: [{ what: renderUsdc(amount), before: 'waits for a second operator', after: 'denied' }],
      async carryOut() {
        const done = await denyProposed(db, refundId, reason);
        if (done.outcome === 'unknown') throw unknown(`there is no treasury refund ${refundId}`);
        if (done.outcome === 'before') throw new CommandFault(PAID);
        if (done.outcome !== 'denied') throw await refuse(db, actor, done);
        return 'Denied; nothing was paid.\n';
      },
    };
  },
});

const PAID = 'it is already approved and paid';

type Refund = Awaited<ReturnType<typeof listRefunds>>[number];

async function getRefund(db: Queryable, refundId: string): Promise<Refund> {
  const found = (await listRefunds(db, refundId)).find((one) => one.refundId === refundId && one.source === 'treasury');
  if (!found) throw unknown(`there is no treasury refund ${refundId}: florin payment refunds`);
  return found;
}

async function describeRefund(
  db: Queryable,
  {
    paymentId,
    proposedBy,
    proposedAt,
    reason,
    note,
  }: Pick<Refund, 'paymentId' | 'proposedBy' | 'proposedAt' | 'reason' | 'note'>,
): Promise<readonly Fact[]> {
  const { facts } = await readPaymentFacts(db, paymentId);
  const proposed = `${proposedBy} at ${renderTime(proposedAt)}`;
  return [...facts, ['why', reason], ['note', note ?? undefined], ['proposed by', proposed]];
}

/** Those of a payment that were paid, or wait. */
const sumRefunds = (all: readonly Refund[], paymentId: string): bigint =>
  all.filter((one) => one.paymentId === paymentId && !one.deniedBy).reduce((sum, { amount }) => sum + amount, 0n);

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
  same_person: 'you proposed it yourself; another operator must approve it',
};

interface Refused {
  readonly outcome: RefundOutcome;
  readonly left?: bigint | undefined;
  readonly reason?: string | undefined;
}

async function refuse(
  db: Queryable,
  actor: AuditActor,
  { outcome, left = 0n, reason }: Refused,
): Promise<CommandFault> {
  if (outcome === 'not_operator') return describeNotOperator(db, actor);
  if (outcome === 'unknown') return unknown(REFUSED.unknown!);
  if (outcome === 'paused') return new CommandFault(`everything is paused: ${reason}`);
  if (outcome === 'too_much') {
    return new CommandFault(
      left > 0n ? `only ${renderUsdc(left)} of it can still be refunded` : 'it is already fully refunded',
    );
  }
  return new CommandFault(REFUSED[outcome] ?? outcome, outcome === 'same_person' ? EXIT.forbidden : EXIT.failed);
}

function parseNote(text: string | undefined): string | undefined {
  if (text !== undefined && !isNote(text))
    throw misused('--note is one line of 1 to 140 characters, without characters that control text or its direction');
  return text;
}

function parseAmount(text: string | undefined): Usdc | undefined {
  if (text === undefined) return undefined;
  const amount = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? parseUsdc(text) : (0n as Usdc);
  if (amount === 0n) throw misused(`--amount ${text} is not an amount such as 12.50`);
  return amount;
}
