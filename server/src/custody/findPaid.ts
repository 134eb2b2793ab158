import type { Tx } from '../db/database.ts';
import { nonceOf } from './eip3009/authorizations.ts';
import { findPaid as findPaidByNonce, type PaidMove } from './eip3009/unknownNonces.ts';

/**
 * The trace of a payment on the chain: its nonce, in hexadecimal. `accept_sends` searches for it as `findPaid` does.
 */
export const traceOf = (paymentId: string): string => nonceOf(paymentId).slice(2);

/**
 * Finds the unexplained move that is this payment: the chain has made it, and this database was restored from before.
 * Only EIP-3009 leaves a trace on the chain that identifies the payment. A provider's transfer is found again under the
 * same idempotency key, or an operator imports it.
 */
export const findPaid = (tx: Tx, paymentId: string): Promise<PaidMove | undefined> => findPaidByNonce(tx, paymentId);
