import type { PaymentKind } from '../../core/payment.ts';

/** A change of a person's balance that the service has booked and that is not a payment. */
interface Booking {
  /** The person gets it. */
  readonly isCredit: boolean;
  /** The payment that the chain has made for more than the person had; null for a correction. */
  readonly debtOf: string | null;
  /** The reason of a correction. */
  readonly reason: string | null;
}

export const bookingKind = (debtOf: string | null): PaymentKind & ('correction' | 'debt') =>
  debtOf === null ? 'correction' : 'debt';

/**
 * The other side of a booking. It is not a null username: for a person without a name, that would not show whether they
 * are credited or debited.
 */
export const NO_PARTY = { address: null } as const;

/** For the person whose balance it changes. Ids are separate words: the wallet replaces them by "that payment". */
export function describeBooking({ isCredit, debtOf, reason }: Booking): string {
  if (debtOf === null) return reason === null ? 'correction by the service' : `correction by the service: ${reason}`;
  return isCredit
    ? `the service covered what the balance lacked for ${debtOf}; this amount is owed to the service`
    : `the service collected what was owed for ${debtOf}`;
}
