/**
 * Decides about a run from what can be seen from outside. Every operation has an amount of its own, so a payment is
 * recognized by its amount, and neither ids nor idempotency keys are trusted.
 */
import type { Operation } from './history.ts';

/** A payment between people or a send, in SQL. */
export interface Made {
  readonly id: string;
  readonly from: string;
  /** A username, or an address. */
  readonly to: string;
  readonly amount: number;
  readonly state: string;
}

/** A payment as the API shows it to one person. */
export interface Listed {
  readonly id: string;
  readonly amount: number;
  readonly state: string;
}

/** All amounts are in millionths of a USDC. */
export interface Evidence {
  readonly operations: readonly Operation[];
  readonly made: readonly Made[];
  readonly requests: readonly { readonly amount: number; readonly state: string }[];
  /** Changes of available balances, each person's in their order. */
  readonly entries: readonly { readonly username: string; readonly amount: number }[];
  readonly people: readonly {
    readonly username: string;
    readonly deposit: number;
    /** In SQL, and as the API shows it. */
    readonly available: number;
    readonly held: number;
    readonly shown: number;
    readonly history: readonly Listed[];
  }[];
  readonly chain: {
    /** Amounts that left the wallets of the service, by the address that got them. */
    readonly transfers: ReadonlyMap<string, readonly number[]>;
    /** The sum of the wallets of the service. */
    readonly custody: number;
  };
}

const FAULTS = ['lost', 'doubled', 'negative', 'stuck', 'wrong'] as const;

/** What is wrong, in words. */
export type Faults = Readonly<Record<(typeof FAULTS)[number], string[]>>;

/** The only refusal that these clients can cause. */
const EXPECTED_REFUSAL = '409 balance.insufficient';
/** States in which the amount was returned. These clients cause none of them. */
const RETURNED = ['FAILED', 'DENIED', 'CANCELLED'];

export function judge(evidence: Evidence): Faults {
  const faults = Object.fromEntries(FAULTS.map((kind) => [kind, []])) as unknown as Faults;
  const expected = judgePayments(evidence, faults);
  judgeChain(evidence, faults);
  judgeRequests(evidence, faults);
  judgeBalances(evidence, expected, faults);
  return faults;
}

/** Returns what everyone should have. */
function judgePayments({ operations, made, people }: Evidence, faults: Faults): Map<string, number> {
  const { lost, doubled, wrong } = faults;
  const rowsOf = groupBy(made, ({ amount }) => amount);
  const expected = new Map(people.map(({ username, deposit }) => [username, deposit]));
  const histories = new Map(
    people.map(({ username, history }) => [username, groupBy(history, ({ id }) => id)] as const),
  );
  const payments = operations.filter(({ work }) => work !== 'ask');
  const known = new Set(payments.map(({ amount }) => amount));
  for (const [amount, rows] of rowsOf)
    if (!known.has(amount)) wrong.push(`${rows.length} payments of ${amount}, which no client has requested`);

  for (const operation of payments) {
    const { work, from, to, amount, ids, refusal } = operation;
    const words = describe(operation);
    const rows = rowsOf.get(amount) ?? [];
    if (ids.size > 1) doubled.push(`${words} was acknowledged as ${[...ids].join(' and ')}`);
    if (rows.length > 1) doubled.push(`${words} was made ${rows.length} times`);
    if (ids.size > 0 && rows.length === 0) lost.push(`${words} was acknowledged and does not exist`);
    if (refusal !== undefined && rows.length > 0) wrong.push(`${words} was refused with ${refusal} and made`);
    if (refusal !== undefined && refusal !== EXPECTED_REFUSAL) wrong.push(`${words} was refused with ${refusal}`);
    for (const row of rows) {
      if (row.from !== from || row.to !== to) wrong.push(`${words} went from ${row.from} to ${row.to}`);
      if (ids.size > 0 && !ids.has(row.id)) lost.push(`${words} was acknowledged under another id than ${row.id}`);
      for (const person of work === 'send' ? [from] : [from, to]) {
        const shown = histories.get(person)?.get(row.id) ?? [];
        if (shown.length === 0) lost.push(`${words} is missing in the history of ${person}`);
        if (shown.length > 1) doubled.push(`${words} is ${shown.length} times in the history of ${person}`);
        for (const one of shown)
          if (one.amount !== row.amount || one.state !== row.state)
            wrong.push(`${words} is shown as ${one.amount} ${one.state}, and is ${row.amount} ${row.state}`);
      }
      if (RETURNED.includes(row.state)) continue;
      expected.set(from, expected.get(from)! - amount);
      if (work !== 'send') expected.set(to, expected.get(to)! + amount);
    }
  }
  return expected;
}

function judgeChain({ operations, made, chain }: Evidence, { lost, doubled, stuck, wrong }: Faults): void {
  const sends = operations.filter(({ work }) => work === 'send');
  const stateOf = new Map(made.map(({ amount, state }) => [amount, state]));
  const destinations = new Set(sends.map(({ to }) => to));
  for (const to of chain.transfers.keys())
    if (!destinations.has(to)) wrong.push(`coins went to ${to}, which no client has named`);
  for (const send of sends) {
    const words = describe(send);
    const state = stateOf.get(send.amount);
    const paid = chain.transfers.get(send.to) ?? [];
    if (paid.length > 1) doubled.push(`${words} made ${paid.length} transfers on the chain`);
    if (paid.length === 0 && state === 'COMPLETE') lost.push(`${words} is complete and not on the chain`);
    if (paid.length > 0 && state !== 'COMPLETE') wrong.push(`${words} is ${state ?? 'unknown'} and on the chain`);
    if (paid.some((sum) => sum !== send.amount)) wrong.push(`${words} paid ${paid.join(' and ')}`);
    if (state !== undefined && RETURNED.includes(state)) wrong.push(`${words} is ${state}`);
    else if (state !== undefined && state !== 'COMPLETE') stuck.push(`${words} is ${state}`);
  }
}

function judgeRequests({ operations, requests }: Evidence, { lost, doubled, stuck }: Faults): void {
  const statesOf = groupBy(requests, ({ amount }) => amount);
  const paid = new Set(
    operations.filter(({ work, ids }) => work === 'pay request' && ids.size > 0).map(({ amount }) => amount),
  );
  for (const operation of operations.filter(({ work }) => work === 'ask')) {
    const words = describe(operation);
    const found = statesOf.get(operation.amount) ?? [];
    if (found.length > 1) doubled.push(`${words} was made ${found.length} times`);
    if (operation.ids.size > 0 && found.length === 0) lost.push(`${words} was acknowledged and does not exist`);
    if (paid.has(operation.amount) && found[0]?.state !== 'paid')
      stuck.push(`${words} was paid and is ${found[0]?.state}`);
  }
}

/** Every available balance is added up again from its first entry. */
function judgeBalances(
  { entries, people, chain }: Evidence,
  expected: ReadonlyMap<string, number>,
  { negative, wrong }: Faults,
): void {
  const sums = new Map<string, number>();
  for (const { username, amount } of entries) {
    const sum = (sums.get(username) ?? 0) + amount;
    sums.set(username, sum);
    if (sum < 0) negative.push(`${username} had ${sum} at some time`);
  }
  for (const { username, available, held, shown } of people) {
    const due = expected.get(username)!;
    if (available < 0 || held < 0) negative.push(`${username} has ${available}, and ${held} on hold`);
    if (sums.get(username) !== due)
      wrong.push(`${username} has entries of ${sums.get(username)} and should have ${due}`);
    if (available !== due) wrong.push(`${username} has ${available} and should have ${due}`);
    if (shown !== due) wrong.push(`${username} sees ${shown} and should have ${due}`);
  }
  const owed = people.reduce((sum, { available, held }) => sum + available + held, 0);
  if (chain.custody !== owed) wrong.push(`the wallets hold ${chain.custody} on the chain and owe ${owed}`);
}

const describe = ({ op, work, amount, from, to }: Operation): string =>
  `operation ${op} (${work} ${amount}, from ${from} to ${to})`;

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
