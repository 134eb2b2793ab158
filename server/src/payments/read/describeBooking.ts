import type { PaymentKind } from '../../core/payment.ts';

/** A change of a person's balance that the service has booked and that is no payment. */
interface Booking {
  /** The person gets it. */
  readonly isCredit: boolean;
  /** The payment that the chain has made with more than the person had; null for a correction. */
  readonly debtOf: string | null;
  /** Of a correction. */
  readonly reason: string | null;
}

export const bookingKind = (debtOf: string | null): PaymentKind & ('correction' | 'debt') =>
  debtOf === null ? 'correction' : 'debt';

/**
 * The other side of a booking. Not a username that is null: of a person without a name, that would not say whether they
 * get the amount or give it.
 */
export const NOBODY = { address: null } as const;

/** For the person whose balance it changes. Ids stand alone: the wallet writes "that payment" for them. */
export function describeBooking({ isCredit, debtOf, reason }: Booking): string {
  if (debtOf === null) return reason === null ? 'correction by the service' : `correction by the service: ${reason}`;
  return isCredit
    ? `the service covered what the balance lacked for ${debtOf}; this amount is owed to the service`
    : `the service collected what was owed for ${debtOf}`;
}
