import type { Payment } from '../core/payment.ts';
import type { Queryable } from '../db/database.ts';
import { readPayment } from '../payments/read/readPayment.ts';
import { isFinal } from '../payments/state.ts';
import type { Follower } from './openFollower.ts';
import { shareReads } from './shareReads.ts';

/** Payments to addresses that callers wait for. Any number of callers of one payment share its reads. */
export interface PaymentWaits {
  /** The payment as it is now. */
  read(paymentId: string): Promise<Payment>;
  /**
   * Resolves when the payment is final, when `until` is aborted, or when the process stops. Answers the payment as it was
   * read last; undefined when it could not be read.
   */
  waitForEnd(paymentId: string, until: AbortSignal): Promise<Payment | undefined>;
}

/** Waiting callers together never use more of the pool's connections. */
const MOST_READS = 2;
const AFTER_FAULT_MS = 1_000;

interface Watch {
  /** As it was read last. */
  payment: Payment | undefined;
  readonly waiting: Set<() => void>;
  close(): void;
}

/**
 * A payment is read when its first caller begins to wait, and then after each of its events. In between nobody asks the
 * database about it: the follower, which reads the feed for the whole process, says when there is an event.
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
    async function look(): Promise<void> {
      if (isClosed) return;
      clearTimeout(retry);
      try {
        const payment = await read(paymentId);
        if (isClosed) return;
        watch.payment = payment;
        if (isFinal(payment.state)) wakeAll();
      } catch {
        // The event that was heard comes only once.
        if (!isClosed) retry = setTimeout(look, AFTER_FAULT_MS);
      }
    }
    const { joined, stop } = follower.listen({ paymentId, hear: () => void look(), end: wakeAll });
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
    // What happened before the watch joined the follower is read here, so nothing falls in between.
    void joined.then(look);
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
