/** Jobs that wait for the end of a pause and must not miss it; and events on their way to endpoints. */
import type { Answer, Some } from './calls.ts';
import type { Job, State } from './state.ts';
import type { Step } from './step.ts';

const WOKEN: Readonly<Record<Job, Job>> = {
  free: 'free',
  claimed: 'claimed',
  noted: 'free',
  'claimed, noted': 'claimed',
  asleep: 'free',
};

export function wakeJobs(state: State): void {
  for (const [name, job] of Object.entries(state.jobs)) state.jobs[name] = WOKEN[job];
}

/** The worker does this twice: it claims the job, checks for pauses, and lets the job wait. */
export function wait({ payment }: Some<'wait'>): Step[] {
  const name = `submit ${payment}`;
  let wasNoted = false;
  const claim: Step = (state) => {
    const job = state.jobs[name];
    if (job !== 'free' && job !== 'noted') return 'nothing to do';
    wasNoted = job === 'noted';
    state.jobs[name] = wasNoted ? 'claimed, noted' : 'claimed';
    return undefined;
  };
  const check: Step = (state) => (state.pauses.length > 0 ? undefined : 'goes on');
  const letWait: Step = (state) => {
    if (!wasNoted) state.jobs[name] = 'noted';
    // Another process may have woken it while it was polling.
    else state.jobs[name] = state.jobs[name] === 'claimed, noted' ? 'asleep' : 'free';
    return undefined;
  };
  return [claim, check, letWait, claim, check, letWait, () => 'waits'];
}

/** While the first event is on its way, no one takes the next. */
export function claimDelivery(state: State): Answer {
  const [first] = Object.keys(state.deliveries).sort();
  if (state.deliveries[first!]! > 0) return 'nothing';
  state.deliveries[first!] = 1;
  return first!;
}
