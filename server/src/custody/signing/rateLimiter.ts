import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '../../core/ports.ts';
import type { Db } from '../../db/database.ts';

/** `yielding`: work that can wait and leaves capacity for the rest. */
export type Priority = 'first' | 'yielding';

/** Limits the requests to a provider. All processes on one database share the limit. */
export interface RateLimiter {
  /** Returns false if the request was not allowed before `untilMs`, by the clock of `performance.now()`. */
  take(priority: Priority, untilMs: number): Promise<boolean>;
}

interface Waiter {
  readonly priority: Priority;
  readonly untilMs: number;
  end(outcome: boolean | Promise<never>): void;
}

/** A little more than the provider's one second, because requests do not all travel equally fast. */
const WINDOW = '1.1 seconds';
const PAUSE_MS = 40;
/** Yielding requests get at most six of every ten. */
const yieldingOf = (perSecond: number): number => Math.max(1, Math.floor((perSecond * 6) / 10));

/** `bucket` names the limit, the same in all processes. Without a limit every request is allowed immediately. */
export function openRateLimiter(db: Db, bucket: string, perSecond: Keyring['perSecond']): RateLimiter {
  if (perSecond === undefined) return { take: async () => true };
  let waiting: Waiter[] = [];
  let isAsking = false;

  async function ask(): Promise<void> {
    const first = waiting.filter(({ priority }) => priority === 'first');
    const yielding = waiting.filter(({ priority }) => priority === 'yielding');
    const [row] = await db.query<{ granted: number; granted_yielding: number }>(
      'SELECT granted, granted_yielding FROM take_turns($1, $2, $3, $4, $5, $6)',
      [bucket, WINDOW, perSecond, yieldingOf(perSecond!), first.length, yielding.length],
    );
    const served = [...first.slice(0, row!.granted), ...yielding.slice(0, row!.granted_yielding)];
    waiting = waiting.filter((one) => !served.includes(one));
    for (const one of served) one.end(true);
  }

  function dismissLate(): void {
    const now = performance.now();
    const late = waiting.filter(({ untilMs }) => untilMs <= now);
    waiting = waiting.filter((one) => !late.includes(one));
    for (const one of late) one.end(false);
  }

  async function serve(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    try {
      for (dismissLate(); waiting.length > 0; dismissLate()) {
        await ask();
        if (waiting.length > 0) await sleep(PAUSE_MS);
      }
    } catch (error) {
      const disappointed = waiting;
      waiting = [];
      for (const one of disappointed) one.end(Promise.reject(error));
    } finally {
      isAsking = false;
    }
  }

  return {
    take: (priority, untilMs) =>
      new Promise((end) => {
        waiting.push({ priority, untilMs, end });
        void serve();
      }),
  };
}
