/** Calls of the console's server, on the same origin, with a cookie that no script can read. */
import { createStore } from '../../wallet/src/store.ts';

interface Problem {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly request_id?: string;
  readonly retryable?: boolean;
  readonly why?: string;
}

/** A refusal of the server, or no answer at all (status 0). */
export class ConsoleFault extends Error {
  readonly status: number;
  readonly problem: Problem;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, problem: Problem, retryAfter: string | null = null) {
    super(problem.detail ?? problem.title ?? 'no answer');
    this.status = status;
    this.problem = problem;
    this.retryAfterSeconds = retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  }

  get code(): string {
    return this.problem.code ?? '';
  }
}

/** Whether the last call reached the server. */
export const connection = createStore<'ok' | 'lost'>('ok');

const TIMEOUT_MS = 20_000;

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    connection.set('lost');
    throw new ConsoleFault(0, { detail: String(error) });
  }
  connection.set('ok');
  if (answer.ok) return (await answer.json()) as T;
  throw await readFault(answer);
}

/** A proxy in front may answer with a page instead of a problem document. */
async function readFault(answer: Response): Promise<ConsoleFault> {
  const problem = (await answer.json().catch(() => ({}))) as Problem;
  return new ConsoleFault(answer.status, problem, answer.headers.get('retry-after'));
}

/** Reads that nobody asked for do not keep the session open. */
const IN_BACKGROUND = { 'X-Background': 'yes' };

export const get = <T>(path: string, inBackground = false): Promise<T> =>
  ask(path, inBackground ? { headers: IN_BACKGROUND } : {});

export const post = <T>(path: string, body: object): Promise<T> =>
  ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
