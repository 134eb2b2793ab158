import type { ChainClient } from './chainClient.ts';
import { isFinal, type Secrets, type Subscription, stamp, type Transaction, type Wallet } from './records.ts';
import type { Store } from './store.ts';
import type { Switches } from './switches.ts';

/** The shared state of all parts of the Circle double. */
export interface Double {
  readonly store: Store;
  readonly secrets: Secrets;
  /** The local chains, by Circle's name. */
  readonly chains: ReadonlyMap<string, ChainClient>;
  readonly switches: Switches;
  /** Notifies the subscribers. */
  readonly notify: (transaction: Transaction) => void;
  /** Checks that a new subscriber's server exists, as Circle does. */
  readonly greet: (subscription: Subscription) => void;
  readonly log: (line: string) => void;
}

/** Stores a new transaction or a new state of one, and notifies the subscribers if the state is new. */
export function saveTransaction(
  { store, notify }: Double,
  before: Transaction,
  change: Partial<Transaction>,
): Transaction {
  const known = store.transactions.find(before.id);
  // A final state is the last one: nothing may come after it.
  if (known && isFinal(known.state)) return known;
  const after = { ...before, ...change, updateDate: stamp() };
  store.transactions.put(after);
  if (known?.state !== after.state) notify(after);
  return after;
}

export const nextNumber = ({ store }: Double): number => 1 + (store.transactions.list().at(-1)?.number ?? 0);

export const walletsAt = ({ store }: Double, blockchain: string, address: string): Wallet[] =>
  store.wallets.list().filter((one) => one.blockchain === blockchain && one.address === address.toLowerCase());
