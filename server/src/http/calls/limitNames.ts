import type { LimitedVisit, NameQuota } from './createCallLimits.ts';

/** A payment to a name. */
interface NamedPayment<Sent> {
  pay(): Promise<Sent>;
  /** Does this answer tell whether the name exists, although no money has moved? */
  reveals(sent: Sent): boolean;
  /** Does the caller know the name already, or the answer? */
  isKnown(): Promise<boolean>;
}

/** Bounds how many names one person can find out about, through all calls together. */
export interface NameLimit {
  /** Counts one name before it is looked up, or throws `rate.limited`. */
  count(call: LimitedVisit, userId: string): Promise<void>;
  /** Counts a payment if its answer reveals a name. Once the quota is spent, refuses payments to new names. */
  around<Sent>(call: LimitedVisit, userId: string, payment: NamedPayment<Sent>): Promise<Sent>;
}

interface UnderWay {
  payments: number;
  waiting: (() => void)[];
}

/**
 * A payment that succeeds spends nothing and asks the database for nothing. Refusals are stored under their keys before
 * they are counted, and a repeated call answers them again, uncounted. So no more payments of one person are under way at
 * once than could still be refused within the quota; the others wait for those.
 */
export function limitNames(quota: NameQuota): NameLimit {
  const all = new Map<string, UnderWay>();

  function leave(userId: string, under: UnderWay): void {
    under.payments--;
    if (under.payments === 0) all.delete(userId);
    const { waiting } = under;
    under.waiting = [];
    for (const wake of waiting) wake();
  }

  async function countRefusal<Sent>(call: LimitedVisit, userId: string, under: UnderWay, sent: Sent): Promise<Sent> {
    try {
      await quota.spend(call, userId);
      return sent;
    } finally {
      leave(userId, under);
    }
  }

  function start<Sent>(
    call: LimitedVisit,
    userId: string,
    { pay, reveals }: NamedPayment<Sent>,
    found: UnderWay | undefined,
  ): Promise<Sent> {
    const under = found ?? { payments: 0, waiting: [] };
    if (!found) all.set(userId, under);
    under.payments++;
    return pay().then(
      (sent) => {
        if (reveals(sent)) return countRefusal(call, userId, under, sent);
        leave(userId, under);
        return sent;
      },
      (error: unknown) => {
        leave(userId, under);
        throw error;
      },
    );
  }

  async function startLater<Sent>(call: LimitedVisit, userId: string, payment: NamedPayment<Sent>): Promise<Sent> {
    for (let left = quota.left(userId); left > 0; left = quota.left(userId)) {
      const under = all.get(userId);
      if (!under || under.payments < left) return start(call, userId, payment, under);
      await new Promise<void>((wake) => under.waiting.push(wake));
    }
    if (!(await payment.isKnown())) await quota.spend(call, userId);
    return payment.pay();
  }

  return {
    async count(call, userId) {
      await quota.spend(call, userId);
    },
    around(call, userId, payment) {
      const under = all.get(userId);
      return (under?.payments ?? 0) < quota.left(userId)
        ? start(call, userId, payment, under)
        : startLater(call, userId, payment);
    },
  };
}
