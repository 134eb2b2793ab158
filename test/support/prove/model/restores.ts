/** A database that was restored from a backup: what people, operators and the chain remember, and it does not. */
import type { Call } from './calls.ts';
import { book, hold, post } from './money.ts';
import { payoutSteps } from './payouts.ts';
import { NEW_SEND } from './sends.ts';
import type { State } from './state.ts';

/** Only the model has it. */
export interface Restored {
  /** Sends that were accepted before the restore: each may have been signed without the database knowing. */
  readonly sends: readonly string[];
  /** Sends that the database has forgotten. The chain may have paid them. */
  readonly lost: readonly string[];
  /** Sends whose cancellation may have reached the chain or the provider. */
  readonly cancels: readonly string[];
  /** What operators have imported, as `payer amount`. */
  readonly imports: readonly string[];
  /** A provider that sends is asked before anything is cancelled. */
  readonly asksProvider: boolean;
  /** Sessions that are refused until an operator confirms them. */
  readonly sessions: readonly string[];
}

interface Restore {
  readonly backup: State;
  readonly asksProvider: boolean;
  readonly confirmsSessions: boolean;
}

/** The state after the restore. `now`: before it. */
export function goBack(now: State, { backup, asksProvider, confirmsSessions }: Restore): State {
  const state = structuredClone(backup);
  const unsure = Object.entries(now.sends).filter(([, one]) => one.cancelWanted || one.state === 'CANCELLED');
  const sessions = Object.values(state.people).flatMap((person) => person.sessions);
  state.restored = {
    sends: Object.keys(state.sends),
    lost: [...(now.restored?.lost ?? []), ...Object.keys(now.sends).filter((id) => !state.sends[id])],
    cancels: [...(now.restored?.cancels ?? []), ...unsure.map(([id]) => id)],
    imports: backup.restored?.imports ?? [],
    asksProvider,
    sessions: confirmsSessions ? [] : sessions,
  };
  return state;
}

/** The chain has paid it: it cannot be refused. The payer owes the missing amount. */
export function payByChain(state: State, id: string, who: string, amount: bigint): void {
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
}

export function noteImport(state: State, who: string, amount: bigint): void {
  if (state.restored) state.restored = { ...state.restored, imports: [...state.restored.imports, `${who} ${amount}`] };
}

/**
 * What else a call may do after a restore: a client repeats a send that the chain has paid. The service recognizes it,
 * or finds that an operator has imported it. A row of a payout that the chain has paid waits.
 */
export function listRecognized(before: State, call: Call): State[] {
  const { restored } = before;
  if (call.do === 'runPayout' && restored && !call.paid) {
    const state = structuredClone(before);
    for (const step of payoutSteps({ ...call, paid: restored.lost })) step(state);
    return [state];
  }
  if (call.do !== 'send' || before.sends[call.id] || !restored?.lost.includes(call.id)) return [];
  const recognized = structuredClone(before);
  payByChain(recognized, call.id, call.by, call.amount);
  const isImported = restored.imports.includes(`${call.by} ${call.amount}`);
  return [recognized, ...(isImported ? [structuredClone(before)] : [])];
}
