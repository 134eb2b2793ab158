/**
 * The model: a small second implementation of what Florin promises. It imports nothing from `server/` and knows nothing of
 * SQL. Things have short names (`alice`, `pay_bob`) instead of ids; `observe` translates.
 */
import type { Restored } from './restores.ts';

export interface Person {
  /** The current name; null when the account is closed or has none yet. */
  name: string | null;
  /** Names that still lead to this person. A closed person's names lead nowhere. */
  oldNames: string[];
  kyc: string;
  closed: boolean;
  /** Why the person is paused; `paused` is what payments read. */
  pausedFor: string[];
  paused: boolean;
  /** The limits of the person. */
  tier: number;
  available: bigint;
  held: bigint;
  /** The amount that the person owes to the service. */
  owed: bigint;
  /** The spending that counts against the limits now. */
  spent: bigint;
  payments: number;
  /** Open sessions. */
  sessions: string[];
  /** The number of refreshes of a session, and the Idempotency-Key of the first one. */
  refreshes: number;
  refreshedUnder: string | null;
  /** Every movement in order: its kind and the balance after it. */
  history: string[];
}

/** A payment to an address. Its hold ends once: posted or released. */
export interface Send {
  payer: string;
  amount: bigint;
  state: string;
  /** Operators who have approved it, and how many it needs. */
  approvals: string[];
  needed: number;
  ended: 'post' | 'release' | null;
  /** Its coin move; null: no coins are reserved yet. */
  move: 'open' | 'done' | 'dead' | null;
  started: boolean;
  cancelWanted: boolean;
  signed: boolean;
  /** The number of relay transactions that carry it, their version, and the versions that have signed bytes. */
  carried: number;
  version: number;
  attempts: number[];
  key: string | null;
}

/** A payment between people, or a refund. */
export interface Transfer {
  from: string;
  to: string;
  amount: bigint;
}

export interface Request {
  asker: string;
  payer: string;
  amount: bigint;
  state: string;
}

export interface Key {
  revoked: boolean;
  /** The limit of a day. */
  day: bigint;
  /** The remaining budget of the key for people's money. */
  left: bigint;
}

interface Row {
  to: string;
  amount: bigint;
  state: string;
}

export interface Payout {
  key: string;
  payer: string;
  state: string;
  approvals: string[];
  needed: number;
  rows: Row[];
}

export interface Refund {
  payment: string;
  source: 'receiver' | 'treasury';
  amount: bigint;
  state: 'proposed' | 'booked' | 'denied';
}

export interface Correction {
  person: string;
  amount: bigint;
  booked: boolean;
}

/** Coins that left a wallet without a payment of ours. */
export interface UnknownMove {
  person: string;
  amount: bigint;
  imported: boolean;
}

/**
 * `free`: the job is due. `claimed`: a worker has it. A job that will wait to be woken is first recorded as waiting,
 * and then runs once more.
 */
export type Job = 'free' | 'claimed' | 'noted' | 'claimed, noted' | 'asleep';

export interface Limits {
  readonly payment: bigint | null;
  readonly day: bigint | null;
  readonly count: number | null;
}

type Named<T> = Record<string, T>;

export interface State {
  people: Named<Person>;
  /** The balance of the service's own account. */
  treasury: bigint;
  sends: Named<Send>;
  transfers: Named<Transfer>;
  /** Refused payments whose key returns the same refusal forever. */
  refusals: Named<string>;
  requests: Named<Request>;
  keys: Named<Key>;
  payouts: Named<Payout>;
  refunds: Named<Refund>;
  corrections: Named<Correction>;
  moves: Named<UnknownMove>;
  /** Deposits that are credited. */
  deposits: string[];
  /** Whether people had other wallets before. */
  hasMoved: boolean;
  /** The block up to which the chain is read. */
  block: number;
  /** The tier that goes with a status of the identity check, and what people of that status may spend. */
  tiers: Readonly<Named<number>>;
  limits: Readonly<Named<Limits>>;
  jobs: Named<Job>;
  /** The number of times that each event was claimed for delivery to an endpoint. */
  deliveries: Named<number>;
  /** The content of the event feed, as `type subject`. */
  feed: string[];
  /** The causes for which sends are paused. */
  pauses: string[];
  /** The request body of each Idempotency-Key whose outcome is decided. Only in the model, so it is not compared. */
  bodies: Named<string>;
  /** Since the last restore of a backup. Only the model has it. */
  restored?: Restored;
}

/** Text that is equal exactly for equal states. The order of events of different people is not promised. */
export function renderState(state: State): string {
  const { bodies: _, restored: __, ...shown } = state;
  const sorted = {
    ...shown,
    deposits: [...state.deposits].sort(),
    feed: [...state.feed].sort(),
    pauses: [...state.pauses].sort(),
  };
  return JSON.stringify(sorted, (___, value: unknown) =>
    typeof value === 'bigint'
      ? `${value}`
      : value && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
  );
}

/** The differences between two states: the paths, with both values. */
export function compareStates(expected: State, found: State): string[] {
  return compare('', JSON.parse(renderState(expected)), JSON.parse(renderState(found)));
}

function compare(path: string, expected: unknown, found: unknown): string[] {
  if (JSON.stringify(expected) === JSON.stringify(found)) return [];
  const isBranch = (one: unknown): one is Record<string, unknown> =>
    one !== null && typeof one === 'object' && !Array.isArray(one);
  if (!isBranch(expected) || !isBranch(found)) {
    return [`${path}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`];
  }
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
  return names.flatMap((name) => compare(path ? `${path}.${name}` : name, expected[name], found[name]));
}
