/**
 * Judges the changes of one step. The model predicts the effect of the call. Workers made all other changes that
 * PostgreSQL shows, and the model must allow each of them.
 */
import type { Answer, Call } from '../model/calls.ts';
import { credit } from '../model/money.ts';
import { followSends } from '../model/payouts.ts';
import { stepsOf } from '../model/predict.ts';
import { endKeptRows, giveBackImport, listRecognized } from '../model/restores.ts';
import { follow } from '../model/sends.ts';
import { compareStates, type Send, type State } from '../model/state.ts';

/** New rows of the ledger, in their order. */
export interface LedgerRow {
  readonly id: string;
  /** The hold that it ends. */
  readonly hold: string | null;
  readonly kind: string;
}

export interface Seen {
  readonly state: State;
  readonly rows: readonly LedgerRow[];
  /** Deposits, with their receivers and the amounts that the chain's owner minted. */
  readonly deposits: Readonly<Record<string, Deposit>>;
  /** Sends that have ended now, and that are what an operator has imported under another name. */
  readonly imported: Readonly<Record<string, string>>;
}

export interface Deposit {
  readonly who: string;
  readonly amount: bigint;
  /** Whether it is in a final block. */
  readonly isFinal: boolean;
}

interface Done {
  readonly call: Call | undefined;
  /** `unknown`: the client received no answer. */
  readonly answer: Answer;
  /** Whether an event has occurred after which a send may fail by itself. */
  readonly mayFail: boolean;
}

interface Judged {
  readonly state: State;
  /** Whether the call has happened. */
  readonly isApplied: boolean;
  readonly faults: readonly string[];
}

export function judgeStep(before: State, done: Done, seen: Seen): Judged {
  const tries = listOutcomes(before, done);
  if ('fault' in tries) return { state: seen.state, isApplied: false, faults: [tries.fault] };
  const judged = tries.states.map((state, i) => ({ ...adopt(state, done, seen), isApplied: i === 0 }));
  const exact = judged.find(({ faults }) => faults.length === 0);
  // The nearest one is the most useful to read.
  return exact ?? judged.sort((a, b) => a.faults.length - b.faults.length)[0]!;
}

/** The model's words for success. A client cannot distinguish the first answer from its repetition. */
const SUCCESS =
  /^(again|paid|accepted|released|asked|before|renamed|closed|logged in|revoked|declined|cancelled|refreshed|judged|stopping|done|checked|approving|running|waiting|complete)$/;

export const plain = (answer: Answer): Answer => {
  const word = answer.replace(/^again: /, '');
  return SUCCESS.test(word) ? 'done' : word;
};

export function predict(state: State, call: Call): Answer {
  for (const step of stepsOf(call)) {
    const answer = step(state);
    if (answer !== undefined) return answer;
  }
  return 'nothing';
}

function listOutcomes(before: State, { call, answer }: Done): { states: State[] } | { fault: string } {
  if (!call) return { states: [structuredClone(before)] };
  const after = structuredClone(before);
  const expected = predict(after, call);
  const recognized = listRecognized(before, call);
  if (answer === 'unknown') return { states: [after, ...recognized, ...listUnfinished(before, call)] };
  const states = [
    ...(plain(expected) === plain(answer) ? [after] : []),
    ...(plain(answer) === 'done' ? recognized : []),
  ];
  if (states.length > 0) return { states };
  return { fault: `answered ${answer}; the model allows ${expected}` };
}

/** A process that dies may have completed some of its steps, each of which is one commit. */
const listUnfinished = (before: State, call: Call): State[] =>
  stepsOf(call).map((_, done) => {
    const state = structuredClone(before);
    for (const step of stepsOf(call).slice(0, done)) if (step(state) !== undefined) break;
    return state;
  });

/** Adds the changes that workers made. */
function adopt(state: State, done: Done, { state: seen, rows, deposits, imported }: Seen): Omit<Judged, 'isApplied'> {
  const faults: string[] = [];
  for (const { id, hold, kind } of rows) {
    if (kind === 'deposit') faults.push(...adoptDeposit(state, id, deposits[id]));
    if (kind === 'post' || kind === 'release') faults.push(...adoptEnd(state, hold!, kind, seen, done));
    if (kind === 'post' && imported[hold!]) giveBackImport(state, hold!, imported[hold!]!);
  }
  for (const [id, send] of Object.entries(seen.sends)) {
    const known = state.sends[id];
    if (known) adoptProgress(state, known, send, id, seen);
  }
  for (const [id, one] of Object.entries(state.payouts)) {
    if (state.restored) endKeptRows(state, id, seen.payouts[id]?.rows ?? []);
    if (one.rows.some((row, i) => row.state === 'sent' && seen.payouts[id]?.rows[i]?.state !== 'sent'))
      followSends(state, id);
  }
  // The model does not predict the progress of workers; it judges only their results.
  Object.assign(state, {
    jobs: seen.jobs,
    block: seen.block,
    deliveries: seen.deliveries,
    moves: seen.moves,
    pauses: seen.pauses,
  });
  return {
    state: {
      ...seen,
      bodies: state.bodies,
      ...(state.restored && { restored: state.restored }),
    },
    faults: [...faults, ...compareStates(state, seen)],
  };
}

function adoptDeposit(state: State, id: string, deposit: Deposit | undefined): string[] {
  if (!deposit) return [`${id} is credited, and the chain has no such transfer`];
  credit(state, id, deposit.who, deposit.amount);
  return deposit.isFinal ? [] : [`${id} is credited before it is final`];
}

function adoptEnd(state: State, id: string, kind: 'post' | 'release', seen: State, { mayFail }: Done): string[] {
  const send = state.sends[id];
  if (!send) return [`the hold of ${id} has ended, and the model knows no such send`];
  if (send.ended) return send.ended === kind ? [] : [`the hold of ${id} has ended twice`];
  send.move ??= 'open';
  if (kind === 'post') {
    follow(state, { do: 'final', payment: id });
    return [];
  }
  const found = seen.sends[id]!.state;
  const wasWanted = send.cancelWanted;
  send.cancelWanted ||= found === 'CANCELLED' && (state.restored?.cancels.includes(id) ?? false);
  if (found !== 'FAILED' && !send.cancelWanted) return [`${id} is ${found}, and no one has cancelled it`];
  if (found === 'FAILED' && !mayFail) return [`${id} has failed for no reason`];
  follow(state, { do: 'fail', payment: id });
  send.cancelWanted = wasWanted;
  if (found !== send.state) return [`${id} is ${found} instead of ${send.state}`];
  return [];
}

const ENDS = /^payment\.(complete|failed|cancelled|denied|initiated) /;

/** Between its acceptance and its end, a send advances without further calls. */
function adoptProgress(state: State, known: Send, { ended: _, ...seen }: Send, id: string, all: State): void {
  const isOpen = known.ended === null;
  Object.assign(known, {
    move: seen.move,
    started: seen.started,
    signed: seen.signed,
    carried: seen.carried,
    version: seen.version,
    attempts: seen.attempts,
    cancelWanted: known.cancelWanted,
    ...(isOpen && !isFinal(seen.state) && { state: seen.state }),
  });
  const isOwn = (event: string) => event.endsWith(` ${id}`) && event.startsWith('payment.') && !ENDS.test(event);
  state.feed = [...state.feed.filter((event) => !isOwn(event)), ...all.feed.filter(isOwn)];
}

const isFinal = (state: string): boolean => ['COMPLETE', 'FAILED', 'CANCELLED', 'DENIED'].includes(state);
