/** After a restore from a backup: what people, operators and the chain know, and the database does not. */
import type { Call, Some } from './calls.ts';
import { book, hold, post } from './money.ts';
import { ADDRESS, followSends, payoutSteps } from './payouts.ts';
import { NEW_SEND } from './sends.ts';
import type { State } from './state.ts';

/** Only the model has it. */
export interface Restored {
  /** Sends that the database has forgotten. The chain may have paid them. */
  readonly lost: readonly string[];
  /** Who paid them. */
  readonly payers: readonly string[];
  /** Sends whose cancellation may have reached the chain or the provider. */
  readonly cancels: readonly string[];
  /** Payments of the chain that operators have imported, and that no repeated send accounts for yet. */
  readonly imports: readonly Import[];
  /** Sessions and keys that are refused until an operator confirms them. */
  readonly sessions: readonly string[];
  readonly keys: readonly string[];
}

interface Import {
  readonly id: string;
  readonly payer: string;
  readonly amount: bigint;
  /** The rest of the debt that it made. */
  readonly owed: bigint;
}

interface Restore {
  readonly backup: State;
  readonly confirmsSessions: boolean;
}

/** The state after the restore. `now`: before it. */
export function goBack(now: State, { backup, confirmsSessions }: Restore): State {
  const state = structuredClone(backup);
  const unsure = Object.entries(now.sends).filter(([, one]) => one.cancelWanted || one.state === 'CANCELLED');
  const sessions = Object.values(state.people).flatMap((person) => person.sessions);
  state.restored = {
    lost: [...(now.restored?.lost ?? []), ...Object.keys(now.sends).filter((id) => !state.sends[id])],
    payers: [
      ...(now.restored?.payers ?? []),
      ...Object.entries(now.sends).flatMap(([id, { payer }]) => (state.sends[id] ? [] : [payer])),
    ],
    cancels: [...(now.restored?.cancels ?? []), ...unsure.map(([id]) => id)],
    imports: backup.restored?.imports ?? [],
    sessions: confirmsSessions ? [] : sessions,
    keys: Object.keys(state.keys),
  };
  return state;
}

/** The chain has paid it: it cannot be refused. The payer owes the missing amount, which is returned. */
export function payByChain(state: State, id: string, who: string, amount: bigint): bigint {
  const payer = state.people[who]!;
  const missing = amount > payer.available ? amount - payer.available : 0n;
  if (missing > 0n) {
    book(payer, missing);
    payer.owed += missing;
    state.feed.push(`debt.complete ${id}`);
  }
  hold(payer, amount, false);
  post(payer, amount);
  state.sends[id] = { ...NEW_SEND, approvals: [], attempts: [], payer: who, amount, state: 'COMPLETE', ended: 'post' };
  state.feed.push(`payment.confirmed ${id}`, `payment.complete ${id}`);
  return missing;
}

/** An operator imports a payment that the chain has made. */
export function importPaid(state: State, id: string, payer: string, amount: bigint): void {
  const owed = payByChain(state, id, payer, amount);
  changeImports(state, (imports) => [...imports, { id, payer, amount, owed }]);
}

/** An operator has collected this part of a debt. */
export const collectFor = (state: State, id: string, part: bigint): void =>
  changeImports(state, (imports) => imports.map((one) => (one.id === id ? { ...one, owed: one.owed - part } : one)));

function changeImports(state: State, change: (imports: readonly Import[]) => readonly Import[]): void {
  if (state.restored) state.restored = { ...state.restored, imports: change(state.restored.imports) };
}

/**
 * A repeated send turns out to be what an operator has imported as the payment `id`. The send pays for it, so the payer
 * gets back what the import took, and settles the rest of its debt.
 */
export function giveBackImport(state: State, send: string, id: string): void {
  const { payer, amount, owed } = state.restored!.imports.find((one) => one.id === id)!;
  const person = state.people[payer]!;
  book(person, amount);
  state.feed.push(`correction.complete given back for ${send}`);
  if (owed > 0n) {
    book(person, -owed);
    person.owed -= owed;
    state.feed.push(`debt.complete ${id}`);
  }
  changeImports(state, (imports) => imports.filter((one) => one.id !== id));
}

export function confirmKeys(state: State): void {
  if (state.restored) state.restored = { ...state.restored, keys: [] };
}

/** Whether an operator has imported such a payment of this person. */
export const isImported = ({ restored }: State, who: string, amount: bigint): boolean =>
  restored?.imports.some((one) => one.payer === who && one.amount === amount) ?? false;

/** The rows to addresses that the chain may have paid: each is new, waits, or was imported. */
function listPaidRows(before: State, call: Some<'runPayout' | 'cancelPayout'>): State[] {
  const { payer, rows, state: at } = before.payouts[call.payout]!;
  if (call.do === 'cancelPayout' && at !== 'running' && at !== 'waiting') return [];
  const names = rows.flatMap((row, i) => {
    const name = `${call.payout}_${i + 1}`;
    // Until its trace is known, a row is in doubt if anything looks like it.
    const isInDoubt = call.do === 'cancelPayout' || before.restored!.lost.includes(name);
    return row.to === ADDRESS && row.state === 'ready' && isInDoubt ? [{ name, amount: row.amount }] : [];
  });
  const fates = names.reduce<{ paid: string[]; recovered: string[] }[]>(
    (some, { name, amount }) =>
      some.flatMap(({ paid, recovered }) => [
        { paid, recovered },
        { paid: [...paid, name], recovered },
        ...(isImported(before, payer, amount) ? [{ paid, recovered: [...recovered, name] }] : []),
      ]),
    [{ paid: [], recovered: [] }],
  );
  return fates.slice(1).map(({ paid, recovered }) => {
    const state = structuredClone(before);
    const again = call.do === 'cancelPayout' ? { ...call, kept: paid } : { ...call, paid, recovered };
    for (const step of payoutSteps(again)) if (step(state) !== undefined) break;
    return state;
  });
}

/** Workers end the rows of a cancelled payout that the chain may have paid. */
export function endKeptRows(state: State, id: string, found: readonly { readonly state: string }[]): void {
  const { payer, rows, state: at } = state.payouts[id]!;
  if (at !== 'stopping') return;
  let hasEnded = false;
  for (const [i, row] of rows.entries()) {
    const to = found[i]?.state;
    if (row.state !== 'ready' || to === undefined) continue;
    if (to === 'cancelled' || ((to === 'sent' || to === 'paid') && isImported(state, payer, row.amount))) {
      row.state = to;
      hasEnded = true;
    }
  }
  if (hasEnded) followSends(state, id);
}

/**
 * The further outcomes of a call after a restore: a client repeats a send that the chain has paid. The service recognizes
 * it, or finds that an operator has imported it. A row of a payout that the chain has paid waits.
 */
export function listRecognized(before: State, call: Call): State[] {
  const { restored } = before;
  if ((call.do === 'runPayout' || call.do === 'cancelPayout') && restored) return listPaidRows(before, call);
  if (call.do !== 'send' || before.sends[call.id] || !restored?.lost.includes(call.id)) return [];
  const recognized = structuredClone(before);
  payByChain(recognized, call.id, call.by, call.amount);
  return [recognized, ...(isImported(before, call.by, call.amount) ? [structuredClone(before)] : [])];
}
