/** Circle's words for where a payment is. They never go backwards; the last four are final. */
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

export type PaymentKind = 'user' | 'chain' | 'deposit';

/** A party shows a username or an address, never both, so that no answer resolves one from the other. */
export type Party =
  | {
      readonly username: string | null;
      /** The old name that was asked for, when it led to this one. */
      readonly redirectedFrom?: string;
    }
  | { readonly address: string | null }
  /** A send that named a wallet, or none: the treasury's. */
  | { readonly walletId: string };

export interface TimelineStep {
  /** The state that was reached; null for something that happened within one. */
  readonly state: PaymentState | null;
  readonly at: Date;
  readonly txHash: string | null;
  /** What happened, or what it is waiting for. */
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
