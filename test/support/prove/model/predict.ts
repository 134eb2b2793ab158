/**
 * Predicts what a call may answer and change. A call is a list of atomic steps, and other calls may act between two of
 * them. A step that answers ends the call.
 */
import { betweenPeople } from './betweenPeople.ts';
import type { Answer, Call, Some } from './calls.ts';
import { claimDelivery, wait } from './jobs.ts';
import { credit, spend } from './money.ts';
import { payoutSteps } from './payouts.ts';
import { aboutPeople, changeRules } from './people.ts';
import { collect, importMove, repair } from './repairs.ts';
import { accept, carry, follow, sign, submit } from './sends.ts';
import type { State } from './state.ts';
import type { Step } from './step.ts';

export function stepsOf(call: Call): Step[] {
  switch (call.do) {
    case 'pay':
    case 'payRequest':
      return spend((state, limits) => betweenPeople(limits, state, call));
    case 'endRequest':
    case 'ask':
      return [(state) => betweenPeople({}, state, call)];
    case 'send':
      return spend((state, limits) => accept(limits, state, call));
    case 'submit':
      return submit(call);
    case 'wait':
      return wait(call);
    case 'claimDelivery':
      return [claimDelivery];
    case 'sign':
      return sign(call);
    case 'carry':
    case 'relay':
    case 'replace':
      return carry(call);
    case 'approve':
    case 'deny':
    case 'cancel':
    case 'final':
    case 'fail':
      return [(state) => follow(state, call)];
    case 'import':
      return [(state) => importMove(state, call)];
    case 'deposit':
    case 'readBlock':
      return [(state) => receive(state, call)];
    case 'refund':
    case 'proposeRefund':
    case 'approveRefund':
    case 'denyRefund':
    case 'proposeCorrection':
    case 'correct':
      return [(state) => repair(state, call)];
    case 'collect':
      return [(state) => collect(state, call)];
    case 'createPayout':
    case 'confirmPayout':
    case 'approvePayout':
    case 'denyPayout':
    case 'cancelPayout':
    case 'runPayout':
      return payoutSteps(call);
    case 'createKey':
    case 'revokeKey':
    case 'changeKey':
    case 'setLimit':
    case 'giveTier':
    case 'pauseChain':
    case 'resumeChain':
    case 'moveWallets':
      return [(state) => changeRules(state, call)];
    default:
      return [(state) => aboutPeople(state, call)];
  }
}

/** The cursor and the deposits of its block change together, once. */
function receive(state: State, call: Some<'deposit' | 'readBlock'>): Answer {
  if (call.do === 'readBlock') {
    if (state.block !== FIRST_BLOCK) return 'seen';
    state.block++;
  }
  credit(state, call.id, call.who, call.amount);
  return 'seen';
}

/** Every scene has read the chain up to this block. */
export const FIRST_BLOCK = 1_000;
