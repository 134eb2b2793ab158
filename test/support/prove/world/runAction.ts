/** Runs one action, with or without a fault on the way, and returns what its client received. */
import { setImmediate as tick } from 'node:timers/promises';
import type { When } from '../../chain/crash.ts';
import type { Answer as HttpAnswer } from '../../http/answer.ts';
import type { Answer } from '../model/calls.ts';
import type { Action, Context, HttpRequest } from './context.ts';
import { JOBS } from './jobs.ts';

/** A fault during the action. */
export type Mishap =
  | { readonly kind: 'crash'; readonly nth: number; readonly end: 'before' | 'after' }
  | { readonly kind: 'lost answer' | 'repeated' };

interface Ran {
  /** `unknown`: the client received no answer. */
  readonly answer: Answer;
  /** The step at which it died. */
  readonly died?: string;
  /** Faults that do not depend on the model. */
  readonly faults: readonly string[];
}

export function runAction(context: Context, action: Action, mishap: Mishap | undefined): Promise<Ran> {
  if (action.http) return runHttp(context, action, action.http, mishap);
  if (action.job) return runJob(context, action.job, mishap);
  return action.run!().then((answer) => ({ answer: answer ?? 'done', faults: [] }));
}

const wordOf = ({ read }: Action, { status, body }: HttpAnswer): Answer =>
  status === 200 ? (read?.(body) ?? 'done') : (body?.code ?? `status ${status}: ${JSON.stringify(body)}`);

async function runHttp(context: Context, action: Action, request: HttpRequest, mishap?: Mishap): Promise<Ran> {
  const { world } = context;
  const ask = (signal?: AbortSignal) =>
    world.processes.call(request.method, request.path, request.body, request.headers, signal);
  if (mishap?.kind === 'crash') {
    const { gate } = world.processes;
    const away = new AbortController();
    gate.arm(mishap.nth, mishap.end);
    const asked = ask(away.signal).catch((error: Error) => error);
    const first = await Promise.race([asked, gate.died]);
    gate.disarm();
    if (typeof first === 'string') {
      away.abort();
      await asked;
      await world.processes.restartServer();
      return { answer: 'unknown', died: first, faults: [] };
    }
    if (first instanceof Error) return { answer: 'unknown', faults: [first.message] };
    return heard(context, action, first);
  }
  const answer = await ask();
  if (mishap?.kind === 'lost answer') return { answer: 'unknown', faults: [] };
  const ran = heard(context, action, answer);
  if (mishap?.kind !== 'repeated' || !action.isRepeatable) return ran;
  const again = wordOf(action, await ask());
  return again === ran.answer ? ran : { ...ran, faults: [`answered ${ran.answer}, and ${again} when repeated`] };
}

function heard({ hasBadNodes }: Context, action: Action, answer: HttpAnswer): Ran {
  if (answer.status === 200) action.learn?.(answer.body);
  const word = wordOf(action, answer);
  if (hasBadNodes && word === 'service.unavailable') return { answer: 'unknown', faults: [] };
  const isFault = answer.status >= 500 && word !== 'service.paused';
  return { answer: word, faults: isFault ? [`answered ${word}: ${JSON.stringify(answer.body)}`] : [] };
}

async function runJob({ world }: Context, job: keyof typeof JOBS, mishap: Mishap | undefined): Promise<Ran> {
  await world.endBackoffs();
  if (mishap?.kind !== 'crash') {
    return JOBS[job](world.processes.app).then(
      () => ({ answer: 'done', faults: [] }),
      // A job that fails runs again. Whether it ever succeeds is judged after healing.
      (error: Error) => ({ answer: world.names.plain(`failed: ${error.message}`), faults: [] }),
    );
  }
  let steps = 0;
  const when: When = () => (++steps === mishap.nth ? mishap.end : undefined);
  const mortal = world.processes.mortal(when);
  const failed = await JOBS[job](mortal.app).then(
    () => undefined,
    (error: Error) => error,
  );
  // Its parallel work dies too.
  await tick();
  if (mortal.died) return { answer: 'done', died: mortal.died, faults: [] };
  return { answer: failed ? world.names.plain(`failed: ${failed.message}`) : 'done', faults: [] };
}
