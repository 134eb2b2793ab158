/**
 * An epoch of names or of sessions, as `ledger_state` has it: a counter, and random bits that no other course of events
 * repeats. After a failover that lost commits, or in a restored backup, the counter may reach the same number again.
 */
export interface Epoch {
  readonly counter: string;
  readonly random: string;
  /** When this process first saw that the database is in it, on `performance.now()`'s clock. */
  readonly seenAtMs: number;
}

export const seeEpoch = (counter: string, random: string): Epoch => ({ counter, random, seenAtMs: performance.now() });

export const isSameEpoch = (a: Epoch | undefined, b: Epoch): boolean =>
  a?.counter === b.counter && a.random === b.random;
