import type { Payment } from '../core/payment.ts';
import type { Queryable } from '../db/database.ts';
import { readPayment } from '../payments/read/readPayment.ts';
import { isFinal } from '../payments/state.ts';
import type { Follower } from './openFollower.ts';
import { shareReads } from './shareReads.ts';

/** Callers that wait for payments to addresses. All callers that wait for the same payment share its reads. */
export interface PaymentWaits {
  /** The current payment. */
  read(paymentId: string): Promise<Payment>;
  /**
   * Resolves when the payment is final, when `until` is aborted, or when the process stops. Returns the payment as last
   * read, or undefined if it could not be read.
   */
  waitForEnd(paymentId: string, until: AbortSignal): Promise<Payment | undefined>;
}

/** The most pool connections that all waiting callers together use. */
const MOST_READS = 2;
const AFTER_FAULT_MS = 1_000;

interface Watch {
  /** The payment as last read. */
  payment: Payment | undefined;
  readonly waiting: Set<() => void>;
  close(): void;
}

/**
 * Reads a payment when its first caller starts to wait, and again after each of its events. No other statement reads
 * it: the follower, which reads the feed for the whole process, reports each event.
 */
export function openPaymentWaits(db: Queryable, follower: Follower): PaymentWaits {
  const watches = new Map<string, Watch>();
  const read = shareReads(async (paymentId) => {
    const payment = await readPayment(db, paymentId);
    if (!payment) throw new Error(`payment ${paymentId} was accepted and is gone`);
    return payment;
  }, MOST_READS);

  function openWatch(paymentId: string): Watch {
    let retry: NodeJS.Timeout | undefined;
    let isClosed = false;
    const wakeAll = () => {
      for (const wake of watch.waiting) wake();
    };
    async function check(): Promise<void> {
      if (isClosed) return;
      clearTimeout(retry);
      try {
        const payment = await read(paymentId);
        if (isClosed) return;
        watch.payment = payment;
        if (isFinal(payment.state)) wakeAll();
      } catch {
        // The follower reports each event only once.
        if (!isClosed) retry = setTimeout(check, AFTER_FAULT_MS);
      }
    }
    const { joined, stop } = follower.listen({ paymentId, hear: () => void check(), end: wakeAll });
    const watch: Watch = {
      payment: undefined,
      waiting: new Set(),
      close() {
        isClosed = true;
        clearTimeout(retry);
        stop();
        watches.delete(paymentId);
      },
    };
    // This read covers everything that happened before the watch joined the follower, so there is no gap.
    void joined.then(check);
    watches.set(paymentId, watch);
    return watch;
  }

  return {
    read,
    async waitForEnd(paymentId, until) {
      if (until.aborted || follower.isClosed) return undefined;
      const watch = watches.get(paymentId) ?? openWatch(paymentId);
      await new Promise<void>((resolve) => {
        const wake = () => {
          until.removeEventListener('abort', wake);
          watch.waiting.delete(wake);
          if (watch.waiting.size === 0) watch.close();
          resolve();
        };
        watch.waiting.add(wake);
        until.addEventListener('abort', wake);
      });
      return watch.payment;
    },
  };
}
