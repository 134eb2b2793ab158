/** How money moves in the model. Every movement is a row in the histories of those whose money it is. */
import type { Limits, Person, State } from './state.ts';

export interface Rules {
  /** By the status of the identity check. */
  readonly limits: Readonly<Record<string, Limits>>;
}

function enter(person: Person, kind: string, change: bigint): void {
  person.available += change;
  person.history.push(`${kind} ${person.available}`);
}

/** Why a person may not spend this now; undefined: nothing. */
export function findRefusal({ limits }: Rules, payer: Person, amount: bigint, isOther = true): string | undefined {
  const { payment, day, count } = limits[payer.kyc]!;
  if (payer.paused) return 'user.paused';
  if (payment === 0n) return 'kyc.required';
  if (!isOther) return 'payment.self';
  if (payer.available < amount) return 'balance.insufficient';
  const isOver =
    (payment !== null && amount > payment) ||
    (day !== null && payer.spent + amount > day) ||
    (count !== null && payer.payments >= count);
  return isOver ? 'limit.exceeded' : undefined;
}

function count(payer: Person, amount: bigint, payments: number): void {
  payer.spent += amount;
  payer.payments += payments;
}

export function payPerson(state: State, id: string, from: string, to: string, amount: bigint): void {
  const payer = state.people[from]!;
  enter(payer, 'user', -amount);
  count(payer, amount, 1);
  enter(state.people[to]!, 'user', amount);
  state.transfers[id] = { from, to, amount };
  state.feed.push(`payment.complete ${id}`);
}

/** Refunds count against nobody's limits. `from` null: the treasury. */
export function giveBack(state: State, id: string, from: string | null, to: string, amount: bigint): void {
  if (from) enter(state.people[from]!, 'user', -amount);
  else state.treasury -= amount;
  enter(state.people[to]!, 'user', amount);
  state.transfers[id] = { from: from ?? 'treasury', to, amount };
  state.feed.push(`refund.complete ${id}`);
}

/** `isCounted`: towards limits; what the chain has paid by itself is not. */
export function hold(payer: Person, amount: bigint, isCounted = true): void {
  enter(payer, 'hold', -amount);
  payer.held += amount;
  if (isCounted) count(payer, amount, 1);
}

export function post(payer: Person, amount: bigint): void {
  payer.held -= amount;
  enter(payer, 'post', 0n);
}

export function release(payer: Person, amount: bigint): void {
  payer.held -= amount;
  enter(payer, 'release', amount);
  count(payer, -amount, -1);
}

/** Between a person and the house: a correction, or what the house pays for a debt. */
export function book(person: Person, change: bigint): void {
  enter(person, 'internal', change);
}
