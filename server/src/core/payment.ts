/** Circle's names for the states of a payment. `payments/state.ts` says which may follow which and which are final. */
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

/** `correction` and `debt`: what the service has booked in a person's account without a payment. */
export type PaymentKind = 'user' | 'chain' | 'deposit' | 'correction' | 'debt';

/** A username or an address, never both: no answer may reveal which address belongs to which user. */
export type Party =
  | {
      readonly username: string | null;
      /** The old name that was asked for, when it led to this one. */
      readonly redirectedFrom?: string;
    }
  | { readonly address: string | null }
  /** The sender, when a send named a wallet id, or no wallet at all (then it is the treasury's). */
  | { readonly walletId: string };

export interface TimelineStep {
  /** The state that was reached; null for an event that changed no state. */
  readonly state: PaymentState | null;
  readonly at: Date;
  readonly txHash: string | null;
  /** What happened, or what the payment is waiting for. */
  readonly note: string | null;
}

/** What a customer sees of a payment; the HTTP interface calls it a transaction. */
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
  readonly errorReason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly timeline: readonly TimelineStep[];
}
