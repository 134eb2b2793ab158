/** Payouts: many payments from one file. A worker pays the rows in one step and records its progress in another. */
import type { Answer, Call } from './calls.ts';
import { findRefusal, payPerson, spend } from './money.ts';
import type { Payout, State } from './state.ts';
import type { Step } from './step.ts';

type PayoutCall = Extract<Call, { readonly payout: string }>;

export function payoutSteps(call: PayoutCall): Step[] {
  if (call.do !== 'runPayout') return [(state) => decide(state, call)];
  let waits = false;
  return [
    ...spend((state, limits) => {
      waits = payRows(limits, state, call.payout);
      return undefined;
    }),
    (state) => settle(state, call.payout, waits),
  ];
}

function enter(state: State, id: string, to: string): string {
  const payout = state.payouts[id]!;
  if (payout.state !== to) state.feed.push(`payout.${to} ${id}`);
  payout.state = to;
  return to;
}

const isFinal = ({ state }: Payout): boolean => state === 'complete' || state === 'cancelled';

function decide(state: State, call: Exclude<PayoutCall, { do: 'runPayout' }>): Answer {
  const { payout: id } = call;
  if (call.do === 'createPayout') {
    const { key, payer, rows, needed } = call;
    if (state.keys[key]!.revoked) return 'auth.invalid';
    const ready = rows.map((row) => ({ ...row, state: 'ready' }));
    state.payouts[id] = { key, payer, state: 'checked', approvals: [], needed, rows: ready };
    state.feed.push(`payout.checked ${id}`);
    return 'checked';
  }
  const payout = state.payouts[id]!;
  switch (call.do) {
    case 'confirmPayout':
      if (state.keys[payout.key]!.revoked) return 'auth.invalid';
      if (payout.state === 'cancelled' || payout.state === 'stopping') return 'payout.ended';
      if (payout.state !== 'checked') return payout.state;
      if (state.people[payout.payer]!.closed) return 'account.closed';
      for (const row of payout.rows) if (state.people[row.to]!.closed) row.state = 'failed';
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
      if (payout.state === 'cancelled' && !isDenied) return 'cancelled';
      if (isFinal(payout)) return isDenied ? 'ended' : 'payout.ended';
      for (const row of payout.rows) if (row.state === 'ready') row.state = 'cancelled';
      enter(state, id, 'cancelled');
      return isDenied ? 'denied' : 'cancelled';
    }
  }
}

/** True: rows wait. */
function payRows(limits: State['limits'], state: State, id: string): boolean {
  const payout = state.payouts[id]!;
  if (payout.state !== 'running' && payout.state !== 'waiting') return false;
  let waits = false;
  for (const [i, row] of payout.rows.entries()) {
    if (row.state !== 'ready') continue;
    const payer = state.people[payout.payer]!;
    if (state.keys[payout.key]!.revoked || state.people[row.to]!.closed) {
      row.state = 'failed';
      continue;
    }
    const key = state.keys[payout.key]!;
    const refusal =
      findRefusal(limits, payer, row.amount) ?? (row.amount > key.left ? 'key.limit_exceeded' : undefined);
    const isTooLarge = refusal === 'limit.exceeded' && row.amount > (limits[payer.kyc]!.payment ?? row.amount);
    if (refusal === 'kyc.required' || isTooLarge) row.state = 'failed';
    else if (refusal) waits = true;
    else {
      payPerson(state, `${id}_${i + 1}`, payout.payer, row.to, row.amount);
      key.left -= row.amount;
      row.state = 'paid';
    }
  }
  return waits;
}

function settle(state: State, id: string, waits: boolean): Answer {
  const payout = state.payouts[id]!;
  if (payout.state !== 'running' && payout.state !== 'waiting') return isFinal(payout) ? 'done' : 'again';
  const isReady = payout.rows.some((row) => row.state === 'ready');
  enter(state, id, isReady ? (waits ? 'waiting' : 'running') : 'complete');
  return isFinal(payout) ? 'done' : 'again';
}
