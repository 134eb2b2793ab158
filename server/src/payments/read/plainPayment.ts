import type { PaymentKind } from '../../core/payment.ts';
import { bookingKind, describeBooking } from './describeBooking.ts';

/** In place of a name: the account belongs to the service. No username is empty. */
export const SERVICE = '';

/** A payment between people, a deposit or a booking. Its transfer contains everything about it. */
export interface PlainPayment {
  readonly paymentId: string;
  readonly kind: Exclude<PaymentKind, 'chain'>;
  readonly amount: bigint;
  readonly blockchain: string;
  /** The payer's current name, null without one, or SERVICE; for a deposit, the address it came from. */
  readonly from: string | null;
  /** The receiver's current name, null without one, or SERVICE. */
  readonly to: string | null;
  /** `from` or `to`, if that one is an address: the other side of a deposit or a booking. */
  readonly address: 'from' | 'to' | undefined;
  /** The explanation of a booking. */
  readonly note: string | null;
  /** What it is for, in the payer's words. */
  readonly paymentNote: string | null;
  /** The payment that this one gives back. */
  readonly refundOf: string | null;
  /** Why the service made it: of a refund or a correction. */
  readonly reason: string | null;
  /** The requested name, if it was a different one. */
  readonly typed: string | undefined;
  /** For a deposit that the watcher has seen on the chain. */
  readonly txHash: string | null;
  readonly atMs: number;
  /** The balance after it of the person whose history this is. */
  readonly availableAfter: bigint;
}

/** A payment on a page, as `history_pages` returned it. */
export interface Line {
  readonly entry: bigint;
  readonly seq: bigint;
  readonly paymentId: string;
  /** All fields, until `payment` is known. */
  members: readonly string[];
  readonly blockchain: string;
  /** Its account is credited. */
  readonly isCredit: boolean;
  /** The payment with current names. It stays the same as long as names do not change. */
  payment?: PlainPayment;
}

/**
 * Positions of the fields in a line of `history_pages`. DETAIL is the hash of a deposit, the reason of a booking, or the
 * note of a payment. Only a refund has the last two.
 */
const [ID, KIND, AMOUNT, AT, DEBIT, CREDIT, TYPED, ADDRESS, AVAILABLE, DETAIL, REFUND_OF, REASON] = [
  2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
] as const;

export function toLine(text: string, blockchain: string, accountId: string): Line {
  const members = text.split('\t');
  const isCredit = members[CREDIT] === accountId;
  return {
    entry: BigInt(members[0]!),
    seq: BigInt(members[1]!),
    paymentId: members[ID]!,
    members,
    blockchain,
    isCredit,
  };
}

export function toPlain(line: Line, findName: (accountId: string) => string | null | undefined): PlainPayment {
  const { members, paymentId, blockchain } = line;
  const kind = members[KIND] as 'user' | 'deposit' | 'internal';
  const to = findName(members[CREDIT]!) ?? null;
  const typed = members[TYPED]!;
  const booking = kind === 'internal' ? toBooking(line) : undefined;
  const detail = members[DETAIL] ?? null;
  return {
    paymentId,
    kind: booking?.kind ?? (kind as 'user' | 'deposit'),
    amount: BigInt(members[AMOUNT]!),
    blockchain,
    from: kind === 'deposit' ? members[ADDRESS]! || null : (findName(members[DEBIT]!) ?? null),
    to,
    address: booking?.address ?? (kind === 'deposit' ? 'from' : undefined),
    note: booking?.note ?? null,
    typed: typed === '' || typed === to || to === SERVICE ? undefined : typed,
    paymentNote: kind === 'user' ? detail || null : null,
    refundOf: members[REFUND_OF] ?? null,
    reason: kind === 'internal' ? detail : (members[REASON] ?? null),
    txHash: kind === 'deposit' ? detail : null,
    atMs: Number.parseInt(members[AT]!, 10),
    availableAfter: availableAfter(line),
  };
}

function toBooking({ members, isCredit }: Line): Pick<PlainPayment, 'kind' | 'address' | 'note'> {
  const debtOf = members[ADDRESS]! || null;
  const note = describeBooking({ isCredit, debtOf, reason: members[DETAIL] ?? null });
  return { kind: bookingKind(debtOf), address: isCredit ? 'from' : 'to', note };
}

/** Only while the line still has its fields. */
export const availableAfter = ({ members }: Line): bigint => BigInt(members[AVAILABLE]!);

/** A payment to an address, which changes until it is final. */
export const isSend = ({ members }: Line): boolean => members[KIND] === 'hold';

/** The accounts whose owners are named. */
export function listParties(line: Line): string[] {
  const { members, isCredit } = line;
  if (isSend(line)) return [];
  if (members[KIND] === 'user') return [members[DEBIT]!, members[CREDIT]!];
  return [isCredit ? members[CREDIT]! : members[DEBIT]!];
}
