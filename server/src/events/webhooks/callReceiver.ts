import type { Receivers } from '../../adapters/supplied/openReceivers.ts';
import { describeError } from '../../core/describeError.ts';
import type { Attempt } from './attempts.ts';
import type { Claimed, Receiver } from './receiver.ts';
import { findPauseMs } from './retries.ts';
import { signEvent } from './signEvent.ts';

/** Makes one call and returns its outcome. `signal` is aborted when the worker stops. */
export async function callReceiver(
  { receivers, signal }: { readonly receivers: Receivers; readonly signal: AbortSignal },
  receiver: Receiver,
  claimed: Claimed,
): Promise<Attempt> {
  const began = performance.now();
  const { eventId, type, happenedAt, data, attempts, isTest } = claimed;
  const body = JSON.stringify({ type, timestamp: happenedAt.toISOString(), data });
  let asked: number | undefined;
  let said: Pick<Attempt, 'status' | 'answer' | 'fault'>;
  try {
    const headers = signEvent(receiver.secrets, { eventId, at: new Date(), body });
    const { status, text, retryAfterSeconds } = await receivers.post({
      url: receiver.url,
      headers: { 'content-type': 'application/json', 'user-agent': 'Florin-Webhooks/1', ...headers },
      body,
    });
    asked = retryAfterSeconds;
    said = { status, answer: printable(text, 1_000), fault: null };
  } catch (error) {
    const fault = signal.aborted ? 'our worker was stopped before an answer came' : describeError(error);
    said = { status: null, answer: null, fault: printable(fault, 500) };
  }
  const isTaken = said.status !== null && said.status >= 200 && said.status < 300;
  // A test event is not retried: the person testing wants to see this answer, not another attempt tomorrow.
  const isOver = isTaken || isTest;
  const pauseMs = isOver ? undefined : findPauseMs(attempts, { isEndless: receiver.inOrder, askedSeconds: asked });
  return { eventId, attempts, isTest, ...said, isTaken, pauseMs, tookMs: Math.round(performance.now() - began) };
}

/**
 * Removes NUL and lone surrogates (a cut can leave one behind), which PostgreSQL does not accept, and control
 * characters, which would spoil lists.
 */
const printable = (text: string, length: number): string => text.slice(0, length).replace(/\p{C}/gu, ' ');
