/**
 * An epoch of names or of sessions, as `ledger_state` has it: a counter, and random bits that no other course of events
 * repeats. After a failover that lost commits, or in a restored backup, the counter may reach the same number again.
 */
export interface Epoch {
  readonly counter: string;
  readonly random: string;
}

export const isSameEpoch = (a: Epoch | undefined, b: Epoch): boolean =>
  a?.counter === b.counter && a.random === b.random;
