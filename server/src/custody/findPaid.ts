import type { Tx } from '../db/database.ts';
import { nonceOf } from './eip3009/authorizations.ts';
import { findPaid as findPaidByNonce, type PaidMove } from './eip3009/forgottenNonces.ts';

/** What the chain shows of a payment that was made: its nonce, hexadecimal. `accept_sends` looks for it as `findPaid` does. */
export const traceOf = (paymentId: string): string => nonceOf(paymentId).slice(2);

/**
 * The unexplained move that is this payment: the chain has made it, and this database was restored from before. Only
 * EIP-3009 writes something on the chain from which the payment can be told; a provider's transfer is found again under
 * the same idempotency key, or imported by a person.
 */
export const findPaid = (tx: Tx, paymentId: string): Promise<PaidMove | undefined> => findPaidByNonce(tx, paymentId);
