/**
 * Circle's names for the states of a payment. `payments/state.ts` defines the allowed transitions and the final states.
 */
export type PaymentState =
  | 'INITIATED'
  | 'CLEARED'
  | 'QUEUED'
  | 'SENT'
  | 'STUCK'
  | 'CONFIRMED'
  | 'COMPLETE'
  | 'FAILED'
  | 'DENIED'
  | 'CANCELLED';

/** `correction` and `debt` are bookings that the service makes in a person's account without a payment. */
export type PaymentKind = 'user' | 'chain' | 'deposit' | 'correction' | 'debt';

/** A username or an address, never both: no answer may reveal which address belongs to which user. */
export type Party =
  | {
      readonly username: string | null;
      /** The old username that the caller gave, if it redirects to this user. */
      readonly redirectedFrom?: string;
      /** The service itself, which has no username. */
      readonly isService?: true;
    }
  | { readonly address: string | null }
  /** The sender of a send that named a wallet id, or no wallet at all (then the treasury's). */
  | { readonly walletId: string };

export interface TimelineStep {
  /** The state that was reached, or null for an event that changed no state. */
  readonly state: PaymentState | null;
  readonly at: Date;
  readonly txHash: string | null;
  /** A description of the event, or of the thing that the payment is waiting for, in words for customers. */
  readonly note: string | null;
  /** The same for operators, if they need to know more. Never shown to customers. */
  readonly detail?: string | undefined;
}

/** A payment as its customer sees it. The HTTP API calls it a transaction. */
export interface Payment {
  readonly paymentId: string;
  readonly state: PaymentState;
  readonly kind: PaymentKind;
  readonly amount: bigint;
  readonly blockchain: string;
  readonly from: Party;
  readonly to: Party;
  readonly txHash: string | null;
  readonly networkFee: bigint | null;
  /** Why it ended unpaid, in words for customers. */
  readonly errorReason: string | null;
  /** The same for operators: what the chain, the signer, a provider or an operator has said. Never shown to customers. */
  readonly errorDetail?: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly timeline: readonly TimelineStep[];
  /** What it is for, in the words of whoever made it. Null: removed, as if there had been none. */
  readonly paymentNote?: string | null | undefined;
  /** The payment that this one gives back, in whole or in part. */
  readonly refundOf?: string | null;
  /** Why the service made it: of a refund or a correction, in the words of an operator. */
  readonly reason?: string | null;
}
