/**
 * An epoch of names or of sessions, as stored in `ledger_state`: a counter and random bits. After a failover that lost
 * commits, or in a restored backup, the counter may reach the same number again; the random bits then differ.
 */
export interface Epoch {
  readonly counter: string;
  readonly random: string;
  /** When this process first saw the database in this epoch, on the clock of `performance.now()`. */
  readonly seenAtMs: number;
}

export const seeEpoch = (counter: string, random: string): Epoch => ({ counter, random, seenAtMs: performance.now() });

export const isSameEpoch = (a: Epoch | undefined, b: Epoch): boolean =>
  a?.counter === b.counter && a.random === b.random;
