/** People, their sessions and names, keys, pauses and limits. */
import type { Answer, Some } from './calls.ts';
import { wakeJobs } from './jobs.ts';
import { endKey, endKeysOf, nameNew } from './names.ts';
import type { Person, State } from './state.ts';

type RuleCall = Some<
  'createKey' | 'revokeKey' | 'changeKey' | 'setLimit' | 'giveTier' | 'pauseChain' | 'resumeChain' | 'moveWallets'
>;

export function changeRules(state: State, call: RuleCall): Answer {
  if (call.do === 'pauseChain') {
    if (!state.pauses.includes('operator')) state.pauses.push('operator');
    return 'paused';
  }
  if (call.do === 'resumeChain') {
    if (!state.pauses.includes('operator')) return 'not paused';
    state.pauses = state.pauses.filter((cause) => cause !== 'operator');
    wakeJobs(state);
    return 'resumed';
  }
  if (call.do === 'moveWallets') {
    state.hasMoved = true;
    return 'moved';
  }
  if (call.do === 'giveTier') {
    const { status, like } = call;
    state.tiers = { ...state.tiers, [status]: state.tiers[like]! };
    state.limits = { ...state.limits, [status]: state.limits[like]! };
    for (const person of Object.values(state.people)) person.tier = state.tiers[person.kyc]!;
    return 'given';
  }
  if (call.do === 'setLimit') {
    for (const [status, limits] of Object.entries(state.limits))
      if (state.tiers[status] === state.tiers.approved)
        state.limits = { ...state.limits, [status]: { ...limits, day: call.day } };
    return 'changed';
  }
  if (call.do === 'createKey') {
    state.keys[call.key] = { revoked: false, day: call.day, left: call.day };
    return 'created';
  }
  const key = state.keys[call.key]!;
  if (key.revoked) return 'unknown';
  if (call.do === 'revokeKey') {
    endKey(state, call.key, key);
    return 'revoked';
  }
  // The amount already spent still counts.
  key.left += call.day - key.day;
  key.day = call.day;
  return 'changed';
}

type AboutPeople = Some<
  'rename' | 'close' | 'login' | 'revokeSession' | 'endSessions' | 'refresh' | 'pause' | 'resume' | 'judge'
>;

export function aboutPeople(state: State, call: AboutPeople): Answer {
  const person = state.people[call.who]!;
  switch (call.do) {
    case 'rename': {
      if (person.closed) return 'account.closed';
      if (person.name === call.to) return 'renamed';
      const isTaken = Object.entries(state.people).some(
        ([who, one]) => who !== call.who && (one.name === call.to || one.oldNames.includes(call.to)),
      );
      if (isTaken) return 'username.taken';
      person.oldNames = person.oldNames.filter((name) => name !== call.to);
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
      endKeysOf(state, call.who);
      return `ended ${ended}`;
    }
    case 'refresh':
      return refresh(state, call);
    case 'pause':
      pauseFor(person, 'operator');
      return 'paused';
    case 'resume':
      if (!person.pausedFor.includes('operator')) return 'not paused';
      person.pausedFor = person.pausedFor.filter((cause) => cause !== 'operator');
      person.paused = person.pausedFor.length > 0;
      return 'resumed';
    case 'judge':
      if (person.kyc !== call.status) state.feed.push(`kyc.${call.status} ${call.who}`);
      person.kyc = call.status;
      person.tier = state.tiers[call.status]!;
      return 'judged';
  }
}

function pauseFor(person: Person, cause: string): void {
  person.pausedFor = [...new Set([...person.pausedFor, cause])].sort();
  person.paused = true;
}

/** The same key repeats a request whose answer was lost. Another key is a second holder of the token: the session ends. */
function refresh(state: State, { who, session, key }: Some<'refresh'>): Answer {
  const person = state.people[who]!;
  if (!person.sessions.includes(session)) return 'auth.invalid';
  if (person.refreshedUnder !== null && person.refreshedUnder !== key) {
    person.sessions = person.sessions.filter((one) => one !== session);
    return 'auth.invalid';
  }
  person.refreshedUnder = key;
  person.refreshes++;
  return 'refreshed';
}

/** Permanent: from now on no one can pay this person, log in as them or ask them for money. */
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
  pauseFor(person, 'closed');
  Object.assign(person, { closed: true, name: null, sessions: [] });
  return 'closed';
}
