import { idFromKey } from '../../core/ids.ts';
import type { Usdc } from '../../core/money.ts';
import { findViolatedConstraint, type Queryable } from '../../db/database.ts';

/** The party that returns the money: the receiver, or the service, which requires two operators. */
export type RefundSource = 'receiver' | 'treasury';

interface WantedRefund {
  readonly paymentId: string;
  /** As the request names it. Undefined: all that is left. */
  readonly amount: Usdc | undefined;
  /** What the operator has seen as the rest, if the request names no amount: not more and not less is refunded. */
  readonly rest?: bigint;
  /** Customers see it. */
  readonly reason: string;
  /** The note of the payment that returns the money. */
  readonly note?: string | undefined;
}

/** The outcomes of the refund functions (most come from `begin_refund`), and refusals by PostgreSQL. */
export type RefundOutcome =
  | 'refunded'
  | 'proposed'
  | 'before'
  | 'waits'
  | 'denied'
  | 'insufficient'
  | 'too_much'
  | 'unknown'
  | 'deposit'
  | 'is_refund'
  | 'unpaid'
  | 'own'
  | 'sent_away'
  | 'mismatch'
  | 'paused'
  /** The payer has closed their account. */
  | 'closed'
  /** Not a named operator who may approve. */
  | 'not_operator'
  | 'same_person';

interface Refunded {
  readonly refundId: string;
  readonly outcome: RefundOutcome;
  readonly amount?: bigint | undefined;
  /** The amount that could still be refunded. */
  readonly left?: bigint | undefined;
  /** Why everything is paused. */
  readonly reason?: string | undefined;
}

/**
 * The same request has the same id, so a command whose answer was lost can be repeated. A second refund of the same
 * amount needs another reason or note.
 */
export const refundIdOf = ({ paymentId, amount, reason, note }: WantedRefund, source: RefundSource): string =>
  idFromKey(
    'operator',
    `refund ${paymentId} by ${source}`,
    // A reason has no NUL.
    `${amount ?? 'all that is left'} ${reason}${note === undefined ? '' : `\0${note}`}`,
  );

/**
 * Refunds a payment to a person, from the receiver's available balance to the person or treasury that made it. By the
 * operator with this login.
 */
export function refundPayment(db: Queryable, wanted: WantedRefund): Promise<Refunded> {
  return decide(db, 'refund_payment($1, $2, $3, $4)', refundIdOf(wanted, 'receiver'), valuesOf(wanted), wanted.note);
}

/** Proposes a refund by the treasury, which another operator approves. Also possible for a send that is COMPLETE. */
export function proposeRefund(db: Queryable, wanted: WantedRefund): Promise<Refunded> {
  return decide(db, 'propose_refund($1, $2, $3, $4)', refundIdOf(wanted, 'treasury'), valuesOf(wanted), wanted.note);
}

/** Approves and pays a refund. Must be a different operator than the one who proposed it. */
export function approveRefund(db: Queryable, refundId: string): Promise<Refunded> {
  return decide(db, 'approve_refund($1)', refundId, []);
}

/** Ends a proposal; one operator is enough. */
export function denyRefund(db: Queryable, refundId: string, reason: string): Promise<Refunded> {
  return decide(db, 'deny_refund($1, $2)', refundId, [reason]);
}

interface DecidedRow {
  readonly outcome: RefundOutcome;
  readonly amount: bigint | null;
  readonly details: { readonly left?: string; readonly reason?: string } | null;
}

const valuesOf = ({ paymentId, amount, rest, reason }: WantedRefund) => [paymentId, amount ?? rest ?? null, reason];

async function decide(
  db: Queryable,
  call: string,
  refundId: string,
  values: readonly (string | bigint | null)[],
  note?: string,
): Promise<Refunded> {
  // One statement is one commit. `note_refund` writes only for a refund of the same statement.
  const noted =
    note === undefined
      ? ''
      : `, CASE WHEN outcome IN ('refunded', 'proposed') THEN note_refund($1, $${values.length + 2}) END`;
  try {
    const [row] = await db.query<DecidedRow>(`SELECT outcome, amount, details${noted} FROM ${call}`, [
      refundId,
      ...values,
      ...(note === undefined ? [] : [note]),
    ]);
    const { outcome, amount, details } = row!;
    const left = details?.left === undefined ? undefined : BigInt(details.left);
    return { refundId, outcome, amount: amount ?? undefined, left, reason: details?.reason };
  } catch (error) {
    const constraint = findViolatedConstraint(error);
    if (constraint === 'refunds_two_people') return { refundId, outcome: 'same_person' };
    if (constraint === 'approvals_by_operators') return { refundId, outcome: 'not_operator' };
    throw error;
  }
}
