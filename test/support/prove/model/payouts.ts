/** Payouts: many payments from one file. A worker pays the rows in one step and records its progress in another. */
import type { Answer, Call, Some } from './calls.ts';
import { findRefusal, hold, payPerson, spend } from './money.ts';
import { isKeyRefused } from './names.ts';
import { NEW_SEND } from './sends.ts';
import type { Payout, State } from './state.ts';
import type { Step } from './step.ts';

/** Where a row goes that goes to no person. */
export const ADDRESS = 'an address';

type PayoutCall = Extract<Call, { readonly payout: string }>;

export function payoutSteps(call: PayoutCall): Step[] {
  if (call.do !== 'runPayout') return [(state) => decide(state, call)];
  let waits = false;
  return [
    ...spend((state, limits) => {
      waits = payRows(limits, state, call.payout);
      return undefined;
    }),
    (state) => recoverRows(state, call),
    ...spend((state, limits) => {
      waits = sendRows(limits, state, call) || waits;
      return undefined;
    }),
    (state) => settle(state, call, waits),
  ];
}

function enter(state: State, id: string, to: string): string {
  const payout = state.payouts[id]!;
  if (payout.state !== to) state.feed.push(`payout.${to} ${id}`);
  payout.state = to;
  return to;
}

/** After a cancellation, rows that are ready are those that the chain may have paid before a restore. */
const isBegun = (row: { readonly state: string }): boolean => row.state === 'sent' || row.state === 'ready';

/** Only what is still to be paid counts. */
function neededFor({ rows }: Payout, threshold: bigint | undefined): number {
  const left = rows.reduce((sum, { state, amount }) => (state === 'ready' ? sum + amount : sum), 0n);
  return threshold !== undefined && left >= threshold ? 2 : 0;
}

const isFinal = ({ state }: Payout): boolean => state === 'complete' || state === 'cancelled';

function decide(state: State, call: Exclude<PayoutCall, { do: 'runPayout' }>): Answer {
  const { payout: id } = call;
  if (call.do === 'createPayout') {
    const { key, payer, rows } = call;
    if (isKeyRefused(state, key)) return 'auth.invalid';
    const ready = rows.map((row) => ({ ...row, state: 'ready' }));
    state.payouts[id] = { key, payer, state: 'checked', approvals: [], needed: 0, rows: ready };
    state.feed.push(`payout.checked ${id}`);
    return 'checked';
  }
  const payout = state.payouts[id]!;
  switch (call.do) {
    case 'confirmPayout':
      if (isKeyRefused(state, payout.key)) return 'auth.invalid';
      if (payout.state === 'cancelled' || payout.state === 'stopping') return 'payout.ended';
      if (payout.state !== 'checked') return payout.state;
      if (state.people[payout.payer]!.closed) return 'account.closed';
      for (const row of payout.rows) if (state.people[row.to]?.closed) row.state = 'failed';
      payout.needed = neededFor(payout, call.threshold);
      if (payout.needed === 0) state.jobs[`payout ${id}`] = 'free';
      return enter(state, id, payout.needed > 0 ? 'approving' : 'running');
    case 'approvePayout':
      if (payout.state !== 'approving') return 'not_waiting';
      if (payout.approvals.includes(call.by)) return 'twice';
      payout.approvals.push(call.by);
      if (payout.approvals.length >= payout.needed) {
        enter(state, id, 'running');
        state.jobs[`payout ${id}`] = 'free';
      }
      return 'approved';
    case 'denyPayout':
    case 'cancelPayout': {
      const isDenied = call.do === 'denyPayout';
      if (!isDenied && isKeyRefused(state, payout.key)) return 'auth.invalid';
      if ((payout.state === 'cancelled' || payout.state === 'stopping') && !isDenied) return payout.state;
      if (isFinal(payout)) return isDenied ? 'ended' : 'payout.ended';
      const kept = 'kept' in call ? (call.kept ?? []) : [];
      for (const [i, row] of payout.rows.entries())
        if (row.state === 'ready' && !kept.includes(`${id}_${i + 1}`)) row.state = 'cancelled';
      enter(state, id, payout.rows.some(isBegun) ? 'stopping' : 'cancelled');
      return isDenied ? 'denied' : payout.state;
    }
  }
}

/** True: rows wait. */
function payRows(limits: State['limits'], state: State, id: string): boolean {
  const payout = state.payouts[id]!;
  if (payout.state !== 'running' && payout.state !== 'waiting') return false;
  // Until an operator has confirmed it after a restore, rows wait.
  const isUnconfirmed = isKeyRefused(state, payout.key) && !state.keys[payout.key]!.revoked;
  if (isUnconfirmed) return payout.rows.some((row) => row.state === 'ready');
  let waits = false;
  for (const [i, row] of payout.rows.entries()) {
    if (row.state !== 'ready' || row.to === ADDRESS) continue;
    if (state.keys[payout.key]!.revoked || state.people[row.to]!.closed) {
      row.state = 'failed';
      continue;
    }
    const decision = decideRow(limits, state, payout, row.amount);
    if (decision === 'failed') row.state = 'failed';
    else if (decision === 'waits') waits = true;
    else {
      payPerson(state, `${id}_${i + 1}`, payout.payer, row.to, row.amount);
      state.keys[payout.key]!.left -= row.amount;
      row.state = 'paid';
    }
  }
  return waits;
}

function decideRow(limits: State['limits'], state: State, payout: Payout, amount: bigint): 'failed' | 'waits' | 'pays' {
  const payer = state.people[payout.payer]!;
  const refusal =
    findRefusal(limits, payer, amount) ?? (amount > state.keys[payout.key]!.left ? 'key.limit_exceeded' : undefined);
  const isTooLarge = refusal === 'limit.exceeded' && amount > (limits[payer.kyc]!.payment ?? amount);
  if (refusal === 'kyc.required' || isTooLarge) return 'failed';
  return refusal ? 'waits' : 'pays';
}

/** Rows to addresses become payments of their own. True: rows wait. */
function sendRows(
  limits: State['limits'],
  state: State,
  { payout: id, needs = [], paid = [] }: Some<'runPayout'>,
): boolean {
  const payout = state.payouts[id]!;
  if (payout.state !== 'running' && payout.state !== 'waiting') return false;
  if (isKeyRefused(state, payout.key) && !state.keys[payout.key]!.revoked) return false;
  let waits = false;
  for (const [i, row] of payout.rows.entries()) {
    if (row.state !== 'ready' || row.to !== ADDRESS) continue;
    if (state.keys[payout.key]!.revoked) {
      row.state = 'failed';
      continue;
    }
    const isStopped = state.pauses.length > 0 || paid.includes(`${id}_${i + 1}`);
    const decision = isStopped ? 'waits' : decideRow(limits, state, payout, row.amount);
    if (decision === 'failed') row.state = 'failed';
    else if (decision === 'waits') waits = true;
    else {
      const [name, { payer, key }] = [`${id}_${i + 1}`, payout];
      hold(state.people[payer]!, row.amount);
      state.keys[key]!.left -= row.amount;
      const send = { ...NEW_SEND, approvals: [], attempts: [], payer, amount: row.amount, key };
      state.sends[name] = { ...send, needed: needs[i] ?? 0 };
      state.feed.push(`payment.initiated ${name}`);
      row.state = 'sent';
    }
  }
  return waits;
}

/** An operator has imported what the chain paid before a restore: the row names that payment, which is complete. */
function recoverRows(state: State, { payout, recovered = [] }: Some<'runPayout'>): undefined {
  for (const [i, row] of state.payouts[payout]!.rows.entries())
    if (row.state === 'ready' && recovered.includes(`${payout}_${i + 1}`)) row.state = 'paid';
}

/** A worker finds that payments to addresses have ended. */
export function followSends(state: State, id: string): void {
  const payout = state.payouts[id]!;
  for (const [i, row] of payout.rows.entries()) {
    const send = row.state === 'sent' ? state.sends[`${id}_${i + 1}`] : undefined;
    if (send?.ended) row.state = send.state === 'COMPLETE' ? 'paid' : 'failed';
  }
  const isOpen = payout.rows.some(isBegun);
  if (!isOpen && !isFinal(payout)) enter(state, id, payout.state === 'stopping' ? 'cancelled' : 'complete');
}

function settle(state: State, { payout: id, isLate, paid = [] }: Some<'runPayout'>, waits: boolean): Answer {
  const payout = state.payouts[id]!;
  if (payout.state === 'stopping') followSends(state, id);
  if (payout.state !== 'running' && payout.state !== 'waiting') return isFinal(payout) ? 'done' : 'again';
  // What the chain may have paid never fails because it has waited.
  for (const [i, row] of payout.rows.entries())
    if (isLate && waits && row.state === 'ready' && !paid.includes(`${id}_${i + 1}`)) row.state = 'failed';
  followSends(state, id);
  const isReady = payout.rows.some((row) => row.state === 'ready');
  if (!isFinal(payout)) enter(state, id, isReady && waits ? 'waiting' : 'running');
  return isFinal(payout) ? 'done' : 'again';
}
