import type { Usdc } from '../../core/money.ts';
import type { LimitState } from '../../customers/limits/readLimits.ts';
import type { KnownCaller } from '../../customers/sessions/knownSessions.ts';
import type { PartiesAsked } from './resolveParties.ts';

/** One user's request to pay another, as it waits for its batch. */
export interface PayCommand extends PartiesAsked {
  readonly paymentId: string;
  /** The id was derived from an Idempotency-Key: a refusal is then stored, so that a retry gets the same refusal. */
  readonly keyed: boolean;
  readonly amount: Usdc;
  /**
   * Compared when the same key is used again: the receiver's name, or a hash of the text if it cannot be a name. Null
   * if `receiverId` identifies the receiver.
   */
  readonly receiverText: string | null;
  /** For both people. Compared too when the same key is used again. */
  readonly note?: string | undefined;
  /** The cached session; the statement that pays checks that it is still valid. Undefined without sessions. */
  readonly caller?: KnownCaller | undefined;
  /** The account key that pays; the statement that pays checks the key and its limits. */
  readonly accountKey?: PayingKey | undefined;
}

export interface PayingKey {
  readonly keyId: string;
  /** The client's IPv4 address or IPv6 network. */
  readonly client: string;
}

export interface Paid {
  readonly outcome: 'paid';
  readonly available: bigint;
  readonly atMs: number;
  readonly from: string | null;
  readonly to: string;
  /** The old name that was requested and led to `to`. */
  readonly typed: string | null;
  readonly note: string | null;
}

export interface Refused {
  readonly outcome: 'refused';
  readonly code: string;
  readonly details: Readonly<Record<string, string>>;
}

/** The result of a preview, with the limits that the payer would have left. */
export type PaymentPreview = Refused | (Paid & { readonly limits: readonly LimitState[] });

/** `before`: this id was decided earlier. `mismatch`: it was decided for a different request. */
export type PayOutcome =
  | { readonly before: boolean; readonly result: Paid | Refused }
  | { readonly before: true; readonly result: 'mismatch' };
