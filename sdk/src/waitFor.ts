import type { CallOptions } from './calls.ts';
import { FlorinError } from './FlorinError.ts';
import type { components } from './generated/backend.ts';
import { wait } from './wait.ts';

export type Transaction = components['schemas']['Transaction'];

export interface WaitOptions extends Pick<CallOptions, 'signal' | 'timeoutMs' | 'retry' | 'headers'> {
  /** The maximum time to wait for the end of the payment. Default: ten minutes. */
  readonly forMs?: number;
}

const ENDS: readonly string[] = ['COMPLETE', 'FAILED', 'DENIED', 'CANCELLED'] satisfies Transaction['state'][];
const FOR_MS = 600_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Whether a payment in this state never changes again. */
export const isFinal = (state: string): boolean => ENDS.includes(state);

/** Polls the payment at growing intervals until it has ended, successfully or not. */
export async function waitForEnd<T extends { readonly state: string }>(
  read: () => Promise<T>,
  { forMs = FOR_MS, signal }: WaitOptions,
): Promise<T> {
  const until = Date.now() + forMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const seen = await read();
    if (isFinal(seen.state)) return seen;
    const leftMs = until - Date.now();
    if (leftMs <= 0) {
      const detail = `It is ${seen.state} and still in progress; you can wait for it again.`;
      throw new FlorinError({
        code: 'wait.timeout',
        title: 'The payment did not end in time',
        detail,
        retryable: true,
      });
    }
    await wait(Math.min(leftMs, pauseMs * (0.75 + Math.random() / 2)), signal).catch((cause: unknown) => {
      throw new FlorinError({ code: 'call.aborted', title: 'The caller aborted the call', cause });
    });
  }
}
