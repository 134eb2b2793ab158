import type { PayError } from '../../core/errors.ts';
import type { Usdc } from '../../core/money.ts';
import type { Payment } from '../../core/payment.ts';
import type { Stored } from '../../db/idempotency.ts';

export interface SendToAddress {
  /** Checksummed. */
  readonly destination: string;
  /** The token was not asked whether it accepts the destination; the statement decides whether it must be. */
  readonly isUnchecked?: boolean | undefined;
  /**
   * The caller's service key, which the statement reads again: the process may have cached a key that was revoked
   * since.
   */
  readonly serviceKeyId?: string | undefined;
  /** SHA-256 of the caller's client certificate, 64 hexadecimal digits. */
  readonly certificate?: string | undefined;
  /** The caller's IPv4 address or IPv6 network. */
  readonly client?: string | undefined;
  readonly amount: Usdc;
  readonly blockchain: string;
  readonly currency: string;
  /** For both parties; the destination never gets it. */
  readonly note?: string | undefined;
  readonly walletUsername?: string | undefined;
  readonly walletId?: string | undefined;
  /** The person who pays from their own wallet; then neither of the two above is given. */
  readonly payerId?: string | undefined;
  /** Their session, which the statement reads again: it may have ended since the call arrived. */
  readonly sessionId?: string | undefined;
  readonly key?: { readonly caller: string; readonly route: string; readonly text: string } | undefined;
}

/**
 * The conditions that a payment waits for before its coins are reserved. They are decided when the payment is accepted
 * and never change.
 */
export interface SendRules {
  /** Two operators must approve amounts from here on; undefined: no approval is needed. */
  readonly approvalThreshold: Usdc | undefined;
  /** How long a payment to an address that its wallet has never paid waits. */
  readonly newRecipientDelaySeconds: number;
  /** The maximum age of our blacklist (`custody/watch/everBlacklisted.ts`); 0 or undefined: it is not used. */
  readonly blacklistSeconds?: number;
}

/** One send of a batch. */
export interface SendCommand {
  /** Derived from the key, or random. */
  readonly paymentId: string;
  readonly request: SendToAddress;
  /** The hash of the request; undefined without a key. */
  readonly hash: Uint8Array | undefined;
}

/** The outcome; `sql/functions/payments/accept_sends.sql` explains each one. */
export type SendDecision =
  | { readonly outcome: 'accepted'; readonly payment: Payment }
  | { readonly outcome: 'known' | 'mismatch' | 'in_progress' | 'paid' }
  | { readonly outcome: 'ask'; readonly isListed: boolean }
  | { readonly outcome: 'replayed'; readonly stored: Stored<string> }
  | { readonly outcome: 'refused'; readonly refusal: PayError };

/**
 * The job that `submitPayments` runs. Each blockchain has its own queue, so that one that is down does not delay
 * others.
 */
export const submitJob = (blockchain: string): string => `submit ${blockchain}`;
