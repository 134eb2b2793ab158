/**
 * What a call may answer and change. A call is a list of steps; each step happens at once, and others may act between two.
 * A step that answers ends the call.
 */
import type { Answer, Call } from './calls.ts';
import { book, findRefusal, giveBack, hold, payPerson, post, type Rules, release } from './money.ts';
import { payoutSteps } from './payouts.ts';
import type { Send, State } from './state.ts';
import type { Step } from './step.ts';

export function stepsOf(rules: Rules, call: Call): Step[] {
  switch (call.do) {
    case 'pay':
    case 'payRequest':
    case 'endRequest':
    case 'ask':
      return [(state) => betweenPeople(rules, state, call)];
    case 'send':
      return [(state) => accept(rules, state, call)];
    case 'submit':
      return submit(call);
    case 'approve':
    case 'deny':
    case 'cancel':
    case 'final':
    case 'fail':
    case 'import':
      return [(state) => follow(state, call)];
    case 'refund':
    case 'approveRefund':
    case 'denyRefund':
    case 'correct':
      return [(state) => repair(state, call)];
    case 'confirmPayout':
    case 'approvePayout':
    case 'denyPayout':
    case 'cancelPayout':
    case 'runPayout':
      return payoutSteps(rules, call);
    default:
      return [(state) => aboutPeople(state, call)];
  }
}

type Some<Do extends Call['do']> = Extract<Call, { do: Do }>;

/** Whom a name leads to. */
const findPerson = (state: State, name: string): string | undefined =>
  Object.entries(state.people).find(
    ([, person]) => !person.closed && (person.name === name || person.oldNames.includes(name)),
  )?.[0];

/** Things that get a new id each time: the second one is `name2`. */
const nameNew = (known: readonly string[], name: string): string =>
  known.includes(name) ? nameNew(known, `${name}2`) : name;

const hasSession = (state: State, who: string, session: string): boolean =>
  state.people[who]!.sessions.includes(session);

/** Refusals that pass by themselves, or concern the caller, are not stored under the key. */
const NOT_STORED = ['user.paused', 'auth.invalid'];

function betweenPeople(rules: Rules, state: State, call: Some<'pay' | 'payRequest' | 'endRequest' | 'ask'>): Answer {
  if (call.do === 'ask') {
    const payer = findPerson(state, call.of);
    if (!payer) return 'username.unknown';
    if (state.people[call.by]!.closed) return 'account.closed';
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
  if (!hasSession(state, call.by, call.session)) return 'auth.invalid';
  if (call.do === 'payRequest') {
    const request = state.requests[call.request]!;
    if (state.transfers[call.request]) return 'again';
    if (request.state !== 'open') return 'money_request.ended';
    const refusal = findRefusal(rules, payer, request.amount);
    if (refusal) return refusal;
    payPerson(state, call.request, call.by, request.asker, request.amount);
    request.state = 'paid';
    state.feed.push(`request.paid ${call.request}`);
    return 'paid';
  }
  if (state.transfers[call.id]) return 'again';
  if (state.refusals[call.id]) return `again: ${state.refusals[call.id]}`;
  const to = findPerson(state, call.to);
  const own = findRefusal(rules, payer, call.amount, to !== call.by);
  const isAboutPayer = own === 'user.paused' || own === 'kyc.required';
  const refusal = !to && !isAboutPayer ? 'username.unknown' : own;
  if (refusal && !NOT_STORED.includes(refusal)) state.refusals[call.id] = refusal;
  if (refusal) return refusal;
  payPerson(state, call.id, call.by, to!, call.amount);
  return 'paid';
}

function accept(rules: Rules, state: State, { id, by, amount, session, key }: Some<'send'>): Answer {
  const payer = state.people[by]!;
  if (key && state.keys[key]!.revoked) return 'auth.invalid';
  if (session && !hasSession(state, by, session)) return 'auth.invalid';
  if (state.sends[id]) return 'again';
  if (state.refusals[id]) return `again: ${state.refusals[id]}`;
  const refusal =
    findRefusal(rules, payer, amount) ?? (key && amount > state.keys[key]!.left ? 'key.limit_exceeded' : undefined);
  if (refusal) {
    if (!NOT_STORED.includes(refusal)) state.refusals[id] = refusal;
    return refusal;
  }
  hold(payer, amount);
  if (key) state.keys[key]!.left -= amount;
  const send = { payer: by, amount, state: 'INITIATED', approvals: [], needed: 0, ended: null, move: null };
  state.sends[id] = { ...send, started: false, cancelWanted: false, key: key ?? null };
  state.jobs[`submit ${id}`] = 'free';
  state.feed.push(`payment.initiated ${id}`);
  return 'accepted';
}

/** Reserves coins. Its job is claimed, done and removed in three commits. */
function submit({ payment, claims }: Some<'submit'>): Step[] {
  const job = `submit ${payment}`;
  const reserve: Step = (state) => {
    const send = state.sends[payment]!;
    const isReady = (send.state === 'INITIATED' && send.approvals.length >= send.needed) || send.state === 'CLEARED';
    if (isReady && !send.ended && !send.move) {
      send.move = 'open';
      advance(state, payment, 'QUEUED');
    }
    return claims ? undefined : 'done';
  };
  if (!claims) return [reserve];
  const claim: Step = (state) => {
    if (state.jobs[job] !== 'free') return 'nothing to do';
    state.jobs[job] = 'claimed';
    return undefined;
  };
  const end: Step = (state) => {
    delete state.jobs[job];
    return 'done';
  };
  return [claim, reserve, end];
}

function advance(state: State, payment: string, to: string): void {
  state.sends[payment]!.state = to;
  state.feed.push(`payment.${to.toLowerCase()} ${payment}`);
}

function endUnpaid(state: State, payment: string, send: Send, to: string): void {
  if (send.move) send.move = 'dead';
  send.ended = 'release';
  release(state.people[send.payer]!, send.amount);
  if (send.key) state.keys[send.key]!.left += send.amount;
  advance(state, payment, to);
}

function follow(state: State, call: Some<'approve' | 'deny' | 'cancel' | 'final' | 'fail' | 'import'>): Answer {
  if (call.do === 'import') return importMove(state, call);
  const { payment } = call;
  const send = state.sends[payment]!;
  switch (call.do) {
    case 'approve':
      if (send.approvals.includes(call.by)) return 'twice';
      if (send.state !== 'INITIATED' || send.approvals.length >= send.needed) return 'not_waiting';
      send.approvals.push(call.by);
      if (send.approvals.length === send.needed) {
        advance(state, payment, 'CLEARED');
        state.jobs[`submit ${payment}`] = 'free';
      }
      return 'approved';
    case 'deny':
      if (send.needed === 0 || send.ended) return 'not_waiting';
      if (send.started) return 'signed';
      endUnpaid(state, payment, send, 'DENIED');
      return 'denied';
    case 'cancel':
      if (send.state === 'CANCELLED') return 'before';
      if (send.ended) return 'payment.ended';
      if (send.started && send.cancelWanted) return 'before';
      if (send.started) {
        send.cancelWanted = true;
        return 'asked';
      }
      endUnpaid(state, payment, send, 'CANCELLED');
      return 'released';
    case 'final':
      // Paid although the money was given back: nothing moves, and sends pause.
      if (send.ended === 'release') state.pauses.push('contradicted');
      if (send.ended) return 'seen';
      send.ended = 'post';
      send.move = 'done';
      post(state.people[send.payer]!, send.amount);
      advance(state, payment, 'COMPLETE');
      return 'seen';
    case 'fail':
      if (send.move !== 'open') return 'seen';
      endUnpaid(state, payment, send, send.cancelWanted ? 'CANCELLED' : 'FAILED');
      return 'seen';
  }
}

/** The chain has paid it: nobody can refuse. What the payer lacks is owed. */
function importMove(state: State, { move: name, id }: Some<'import'>): Answer {
  const move = state.moves[name]!;
  if (move.imported) return 'imported';
  move.imported = true;
  const payer = state.people[move.person]!;
  const missing = move.amount > payer.available ? move.amount - payer.available : 0n;
  if (missing > 0n) {
    book(payer, missing);
    payer.owed += missing;
    state.feed.push(`debt.complete ${id}`);
  }
  hold(payer, move.amount, false);
  post(payer, move.amount);
  const send = { payer: move.person, amount: move.amount, state: 'COMPLETE', approvals: [], needed: 0, move: null };
  state.sends[id] = { ...send, ended: 'post', started: false, cancelWanted: false, key: null };
  state.feed.push(`payment.confirmed ${id}`, `payment.complete ${id}`);
  return 'imported';
}

function repair(state: State, call: Some<'refund' | 'approveRefund' | 'denyRefund' | 'correct'>): Answer {
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
  const payment = call.do === 'refund' ? call.payment : known!.payment;
  const amount = call.do === 'refund' ? call.amount : known!.amount;
  const paid = state.transfers[payment]!;
  const back = Object.values(state.refunds)
    .filter((one) => one.payment === payment && one.state === 'booked')
    .reduce((sum, one) => sum + one.amount, 0n);
  if (amount > paid.amount - back) return 'too_much';
  if (state.people[paid.from]!.closed) return 'closed';
  const source = call.do === 'refund' ? 'receiver' : 'treasury';
  const available = source === 'receiver' ? state.people[paid.to]!.available : state.treasury;
  if (available < amount) return 'insufficient';
  giveBack(state, call.id, source === 'receiver' ? paid.to : null, paid.from, amount);
  state.refunds[call.id] = { payment, source, amount, state: 'booked' };
  return 'refunded';
}

type AboutPeople = Some<
  'rename' | 'close' | 'login' | 'revokeSession' | 'endSessions' | 'revokeKey' | 'pause' | 'judge'
>;

function aboutPeople(state: State, call: AboutPeople): Answer {
  if (call.do === 'revokeKey') {
    const key = state.keys[call.key]!;
    if (key.revoked) return 'unknown';
    key.revoked = true;
    return 'revoked';
  }
  const person = state.people[call.who]!;
  switch (call.do) {
    case 'rename': {
      if (person.closed) return 'account.closed';
      if (person.name === call.to) return 'renamed';
      const isTaken = Object.entries(state.people).some(
        ([who, one]) => who !== call.who && (one.name === call.to || one.oldNames.includes(call.to)),
      );
      if (isTaken) return 'username.taken';
      if (person.name !== null) person.oldNames.push(person.name);
      person.name = call.to;
      return 'renamed';
    }
    case 'close':
      return close(state, call.who);
    case 'login':
      if (person.closed) return 'account.closed';
      person.sessions.push(nameNew(person.sessions, call.session));
      return 'logged in';
    case 'revokeSession':
      if (!person.sessions.includes(call.session)) return 'session.unknown';
      person.sessions = person.sessions.filter((one) => one !== call.session);
      return 'revoked';
    case 'endSessions': {
      const ended = person.sessions.length;
      person.sessions = [];
      return `ended ${ended}`;
    }
    case 'pause':
      person.paused = true;
      return 'paused';
    case 'judge':
      if (person.kyc !== call.status) state.feed.push(`kyc.${call.status} ${call.who}`);
      person.kyc = call.status;
      return 'judged';
  }
}

/** For good: nobody can pay this person, log in as them or ask them for money from now on. */
function close(state: State, who: string): Answer {
  const person = state.people[who]!;
  if (person.closed) return 'account.closed';
  const mine = (one: { payer: string; state: string }) => one.payer === who;
  const isBusy =
    person.available > 0n ||
    person.held > 0n ||
    person.owed > 0n ||
    Object.values(state.requests).some((one) => one.state === 'open' && (mine(one) || one.asker === who)) ||
    Object.values(state.payouts).some((one) => mine(one) && ['approving', 'running', 'waiting'].includes(one.state));
  if (isBusy) return 'account.not_empty';
  for (const [id, payout] of Object.entries(state.payouts)) {
    if (!mine(payout) || payout.state !== 'checked') continue;
    payout.state = 'cancelled';
    for (const row of payout.rows) row.state = 'cancelled';
    state.feed.push(`payout.cancelled ${id}`);
  }
  if (person.name !== null) person.oldNames.push(person.name);
  Object.assign(person, { closed: true, paused: true, name: null, sessions: [] });
  return 'closed';
}
