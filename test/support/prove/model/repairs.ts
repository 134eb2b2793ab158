/** Repairs by operators and the chain: imports, refunds, corrections. */
import type { Answer, Some } from './calls.ts';
import { book, giveBack } from './money.ts';
import { payByChain } from './restores.ts';
import type { State, Transfer } from './state.ts';

export function importMove(state: State, { move: name, id }: Some<'import'>): Answer {
  const move = state.moves[name]!;
  if (move.imported) return 'imported';
  move.imported = true;
  payByChain(state, id, move.person, move.amount);
  return 'imported';
}

export function repair(
  state: State,
  call: Some<'refund' | 'proposeRefund' | 'approveRefund' | 'denyRefund' | 'proposeCorrection' | 'correct'>,
): Answer {
  if (call.do === 'proposeCorrection') {
    state.corrections[call.id] = { person: call.who, amount: call.amount, booked: false };
    return 'proposed';
  }
  if (call.do === 'correct') {
    const correction = state.corrections[call.id]!;
    const person = state.people[correction.person]!;
    if (correction.booked) return 'unknown';
    if (person.available + correction.amount < 0n) return 'insufficient';
    correction.booked = true;
    book(person, correction.amount);
    state.feed.push(`correction.complete ${call.id}`);
    return 'booked';
  }
  const known = state.refunds[call.id];
  if (call.do === 'denyRefund') {
    if (known!.state === 'booked') return 'before';
    known!.state = 'denied';
    return 'denied';
  }
  if (known && known.state !== 'proposed') return known.state === 'booked' ? 'before' : 'denied';
  if (known && call.do === 'proposeRefund') return 'waits';
  const { payment, amount } = call.do === 'approveRefund' ? known! : call;
  const paid = state.transfers[payment] ?? findSent(state, payment);
  if (!paid) return 'unpaid';
  const back = Object.values(state.refunds)
    .filter((one) => one.payment === payment && one.state === 'booked')
    .reduce((sum, one) => sum + one.amount, 0n);
  if (amount > paid.amount - back) return 'too_much';
  if (state.people[paid.from]!.closed) return 'closed';
  if (call.do === 'proposeRefund') {
    state.refunds[call.id] = { payment, source: 'treasury', amount, state: 'proposed' };
    return 'proposed';
  }
  const source = call.do === 'refund' ? 'receiver' : 'treasury';
  const available = source === 'receiver' ? state.people[paid.to]!.available : state.treasury;
  if (available < amount) return 'insufficient';
  giveBack(state, call.id, source === 'receiver' ? paid.to : null, paid.from, amount);
  state.refunds[call.id] = { payment, source, amount, state: 'booked' };
  return 'refunded';
}

/** A send is refunded by the treasury alone. */
function findSent(state: State, payment: string): Transfer | undefined {
  const send = state.sends[payment];
  return send?.state === 'COMPLETE' ? { from: send.payer, to: 'outside', amount: send.amount } : undefined;
}

export function collect(state: State, { id, who }: Some<'collect'>): Answer {
  const person = state.people[who]!;
  const part = person.available < person.owed ? person.available : person.owed;
  if (part > 0n) {
    book(person, -part);
    person.owed -= part;
    state.feed.push(`debt.complete ${id}`);
  }
  return `collected ${part}`;
}
