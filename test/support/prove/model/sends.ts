/** Payments to addresses, from their acceptance to their end. */
import type { Answer, Some } from './calls.ts';
import { findRefusal, hold, post, release } from './money.ts';
import { hasSession, isKeyRefused, isOtherBody, NOT_STORED } from './names.ts';
import type { Send, State } from './state.ts';
import type { Step } from './step.ts';

/** A new send, except for payer, amount and the holder of the keys. */
export const NEW_SEND = {
  state: 'INITIATED',
  approvals: [] as string[],
  needed: 0,
  ended: null,
  move: null,
  started: false,
  cancelWanted: false,
  signed: false,
  carried: 0,
  version: 0,
  attempts: [] as number[],
  key: null,
} satisfies Omit<Send, 'payer' | 'amount'>;

export function accept(limits: State['limits'], state: State, call: Some<'send'>): Answer {
  const { id, by, amount, session, key, needed = 0 } = call;
  const payer = state.people[by]!;
  if (key && isKeyRefused(state, key)) return 'auth.invalid';
  if (session && !hasSession(state, by, session)) return 'auth.invalid';
  if (isOtherBody(state, id, `${amount}`)) return 'idempotency.mismatch';
  if (state.sends[id]) return 'again';
  if (state.refusals[id]) return `again: ${state.refusals[id]}`;
  if (state.pauses.length > 0) return 'service.paused';
  const refusal =
    findRefusal(limits, payer, amount) ?? (key && amount > state.keys[key]!.left ? 'key.limit_exceeded' : undefined);
  if (refusal && NOT_STORED.includes(refusal)) return refusal;
  state.bodies[id] = `${amount}`;
  if (refusal) {
    state.refusals[id] = refusal;
    return refusal;
  }
  hold(payer, amount);
  if (key) state.keys[key]!.left -= amount;
  state.sends[id] = { ...NEW_SEND, approvals: [], attempts: [], payer: by, amount, key: key ?? null, needed };
  state.jobs[`submit ${id}`] = 'free';
  state.feed.push(`payment.initiated ${id}`);
  return 'accepted';
}

/** Reserves coins. Its job is claimed, done and removed in three commits. */
export function submit({ payment, claims }: Some<'submit'>): Step[] {
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

/**
 * After a restore any send may have been signed or handed over before, also a new one: clients repeat lost sends. What an
 * earlier wallet may have signed can only be waited for.
 */
function askToStop(state: State, send: Send): Answer {
  if (state.hasMoved && !send.started) return 'service.paused';
  send.cancelWanted = true;
  return 'asked';
}

export function follow(state: State, call: Some<'approve' | 'deny' | 'cancel' | 'final' | 'fail'>): Answer {
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
      if (send.cancelWanted) return 'asked';
      if (send.started) return 'signed';
      if (state.restored) return askToStop(state, send);
      endUnpaid(state, payment, send, 'DENIED');
      return 'denied';
    case 'cancel':
      if (send.state === 'CANCELLED') return 'before';
      if (send.ended) return 'payment.ended';
      if (send.started && send.cancelWanted) return 'before';
      if (send.started || state.restored) return askToStop(state, send);
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

/** The signer reads the move, signs it, and commits the signature if the move is still wanted. */
export const sign = ({ payment }: Some<'sign'>): Step[] => [
  (state) => {
    const send = state.sends[payment]!;
    const isWanted = send.move === 'open' && !send.cancelWanted;
    return !isWanted || state.pauses.length > 0 ? 'refused' : undefined;
  },
  // A pause may be committed after the signer has checked for pauses.
  (state) => (state.pauses.length > 0 ? 'refused' : undefined),
  (state) => {
    const send = state.sends[payment]!;
    if (send.move === 'open' && !send.cancelWanted) {
      send.started = true;
      send.signed = true;
    }
    return 'signed';
  },
];

/** Only bytes of the newest version are committed. The same bytes count once. */
function relay(payment: string): Step[] {
  let version = 0;
  return [
    (state) => {
      version = state.sends[payment]!.version;
      return undefined;
    },
    (state) => {
      const send = state.sends[payment]!;
      if (version === send.version && version > 0 && !send.attempts.includes(version)) send.attempts.push(version);
      return undefined;
    },
  ];
}

/** One relay transaction for each signature. */
export function carry(call: Some<'carry' | 'relay' | 'replace'>): Step[] {
  const { payment } = call;
  if (call.do === 'relay') return [...relay(payment), () => 'done'];
  if (call.do === 'replace') return [(state) => replace(state.sends[payment]!)];
  let isMade = false;
  const choose: Step = (state) => {
    const send = state.sends[payment]!;
    isMade = send.signed && send.move === 'open' && !send.cancelWanted && send.carried === 0;
    return undefined;
  };
  // If a cancellation comes in between, it replaces the transfer later.
  const make: Step = (state) => {
    if (isMade) Object.assign(state.sends[payment]!, { carried: 1, version: 1 });
    return undefined;
  };
  return [choose, make, ...relay(payment), () => (isMade ? 'made' : 'nothing')];
}

/** The cancellation replaces the transfer. */
function replace(send: Send): Answer {
  if (send.cancelWanted && send.version === 1) send.version = 2;
  return 'done';
}
