/** Moves money in the model. Every movement is a row in the histories of the people whose money it is. */
import type { Answer } from './calls.ts';
import type { Person, State } from './state.ts';
import type { Step } from './step.ts';

type Limits = State['limits'];

/**
 * A payment may read the limits some time before it decides: one whose statement began before a limit was lowered may still
 * be made. Everything else that it decides by is true when it commits.
 */
export function spend(decide: (state: State, limits: Limits) => Answer | undefined): Step[] {
  let limits: Limits = {};
  const read: Step = (state) => {
    limits = state.limits;
    return undefined;
  };
  return [read, (state) => decide(state, limits)];
}

function enter(person: Person, kind: string, change: bigint): void {
  person.available += change;
  person.history.push(`${kind} ${person.available}`);
}

/** Returns why a person may not spend this amount now; undefined if they may. */
export function findRefusal(limits: Limits, payer: Person, amount: bigint, isOther = true): string | undefined {
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

/** Refunds count against no limit. `from` null: the treasury. */
export function giveBack(state: State, id: string, from: string | null, to: string, amount: bigint): void {
  if (from) enter(state.people[from]!, 'user', -amount);
  else state.treasury -= amount;
  enter(state.people[to]!, 'user', amount);
  state.transfers[id] = { from: from ?? 'treasury', to, amount };
  state.feed.push(`refund.complete ${id}`);
}

/** `isCounted`: whether it counts towards limits. A payment that the chain has made by itself does not count. */
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

/** Coins that came from outside. A person who has closed their account gets them too, and no one is told of the treasury's. */
export function credit(state: State, id: string, who: string, amount: bigint): void {
  if (state.deposits.includes(id)) return;
  state.deposits.push(id);
  if (who === 'treasury') {
    state.treasury += amount;
    return;
  }
  enter(state.people[who]!, 'deposit', amount);
  state.feed.push(`deposit.complete ${id}`);
}

/** Moves money between a person and the service: a correction, or the service's share of a debt. */
export function book(person: Person, change: bigint): void {
  enter(person, 'internal', change);
}
