import type { FlorinError } from './FlorinError.ts';

export interface RetryPolicy {
  /** The number of attempts, including the first. */
  readonly attempts: number;
  /** The first pause; each later one is twice as long. */
  readonly firstPauseMs: number;
  /** No pause is longer, unless the service asks for one. */
  readonly longestPauseMs: number;
  /** No attempt begins later than this after the first one. */
  readonly totalMs: number;
}

export const RETRIES: RetryPolicy = { attempts: 8, firstPauseMs: 300, longestPauseMs: 15_000, totalMs: 120_000 };

/** 409 answers that a retry soon resolves. */
const PASSING = ['idempotency.in_progress', 'wallet.pending'];

interface Failed {
  readonly error: FlorinError;
  /** The number of attempts so far. */
  readonly attempt: number;
  readonly elapsedMs: number;
  /** Whether a repetition is safe if the call may have been carried out. */
  readonly repeatable: boolean;
}

/**
 * The time to wait before the next attempt; undefined if there must be none. `Retry-After` is a minimum. Every pause is
 * randomized, so that clients that failed together do not retry together.
 */
export function choosePause(failed: Failed, policy: RetryPolicy, random: () => number): number | undefined {
  const { error, attempt, elapsedMs, repeatable } = failed;
  if (attempt >= policy.attempts || !isPassing(error)) return undefined;
  if (error.outcomeUnknown && !repeatable) return undefined;
  const pause = Math.min(policy.longestPauseMs, policy.firstPauseMs * 2 ** (attempt - 1));
  const { retryAfterSeconds: asked } = error;
  const chosen = asked === undefined ? pause * (0.5 + random() / 2) : asked * 1000 + (random() * pause) / 2;
  return elapsedMs + chosen > policy.totalMs ? undefined : chosen;
}

/** Whether the same call may soon succeed. */
export function isPassing({ code, status }: FlorinError): boolean {
  if (status === 409) return PASSING.includes(code);
  return code === 'connection.lost' || code === 'connection.timeout' || [408, 429].includes(status) || status >= 500;
}
