/** Payments between people, and requests for them. */
import type { Answer, Some } from './calls.ts';
import { findRefusal, payPerson } from './money.ts';
import { findPerson, hasSession, isKeyRefused, isOtherBody, NOT_STORED, nameNew } from './names.ts';
import type { State } from './state.ts';

export function betweenPeople(
  limits: State['limits'],
  state: State,
  call: Some<'pay' | 'payRequest' | 'endRequest' | 'ask'>,
): Answer {
  if (call.do === 'ask') {
    const payer = findPerson(state, call.of);
    if (!payer) return 'username.unknown';
    if (state.people[call.by]!.closed) return 'account.closed';
    // An earlier name of the caller still leads to them.
    if (payer === call.by) return 'payment.self';
    const id = nameNew(Object.keys(state.requests), call.id);
    state.requests[id] = { asker: call.by, payer, amount: call.amount, state: 'open' };
    state.feed.push(`request.open ${id}`);
    return 'asked';
  }
  if (call.do === 'endRequest') {
    const request = state.requests[call.request]!;
    if (request.state === call.state) return call.state;
    if (request.state !== 'open') return 'money_request.ended';
    request.state = call.state;
    state.feed.push(`request.${call.state} ${call.request}`);
    return call.state;
  }
  const payer = state.people[call.by]!;
  const key = call.do === 'pay' ? call.key : undefined;
  if (key && isKeyRefused(state, key)) return 'auth.invalid';
  if (call.session !== undefined && !hasSession(state, call.by, call.session)) return 'auth.invalid';
  if (call.do === 'payRequest') {
    const request = state.requests[call.request]!;
    if (state.transfers[call.request]) return 'again';
    if (request.state !== 'open') return 'money_request.ended';
    const refusal = findRefusal(limits, payer, request.amount);
    if (refusal) return refusal;
    payPerson(state, call.request, call.by, request.asker, request.amount);
    request.state = 'paid';
    state.feed.push(`request.paid ${call.request}`);
    return 'paid';
  }
  const body = `${call.to} ${call.amount}`;
  if (isOtherBody(state, call.id, body)) return 'idempotency.mismatch';
  if (state.transfers[call.id]) return 'again';
  if (state.refusals[call.id]) return `again: ${state.refusals[call.id]}`;
  const to = findPerson(state, call.to);
  const own = findRefusal(limits, payer, call.amount, to !== call.by);
  const isAboutPayer = own === 'user.paused' || own === 'kyc.required';
  const isBeyondKey = key && call.amount > state.keys[key]!.left;
  const refusal = isBeyondKey ? 'key.limit_exceeded' : !to && !isAboutPayer ? 'username.unknown' : own;
  if (refusal && NOT_STORED.includes(refusal)) return refusal;
  state.bodies[call.id] = body;
  if (refusal) {
    state.refusals[call.id] = refusal;
    return refusal;
  }
  payPerson(state, call.id, call.by, to!, call.amount);
  if (key) state.keys[key]!.left -= call.amount;
  return 'paid';
}
