import { createHmac } from 'node:crypto';
import { followFeed } from '../events.ts';
import { FlorinError } from '../FlorinError.ts';
import type { FlorinEvent } from '../messages.ts';
import { webhooks } from '../webhooks.ts';
import type { Account } from './openAccount.ts';
import { toMessage } from './toMessage.ts';

interface Listening {
  /** The receiver, usually on this machine. */
  readonly url: string;
  readonly types: readonly string[] | undefined;
  readonly after: string | undefined;
  readonly secret: string | undefined;
  readonly signal: AbortSignal;
  print(line: string): void;
}

/** As long as the service waits for a receiver. */
const TIMEOUT_MS = 15_000;
/** Shorter than the time that proxies usually wait for an answer. */
const WAIT_SECONDS = 25;
const PAUSE_MS = 1_000;

/**
 * Forwards each event once, in order, as a signed webhook, until the signal is aborted. Nothing is created at the
 * service. It reads the feed and calls a receiver that the service itself could not reach.
 */
export async function listen(account: Account, listening: Listening): Promise<void> {
  const { url, signal, print, types } = listening;
  const secret = listening.secret ?? deriveSecret(account.key);
  const read = (after: string, wait: boolean) =>
    account.call(
      'list_events',
      { query: { after, ...(types && { types: types.join(',') }) } },
      { signal, ...(wait && { waitSeconds: WAIT_SECONDS }) },
    );
  // Fails now if the key is wrong. Without a position of its own, a repeated first page could begin later.
  const after = listening.after ?? (await read('now', false)).next_cursor;
  print(`Forwarding events to ${url}. Press Ctrl-C to stop.`);
  print(`Verify them with the secret ${secret}`);
  try {
    for await (const event of followFeed((place) => read(place, true), { after, signal, pauseMs: PAUSE_MS }))
      print(`${event.at} ${event.type} ${event.id} ${await forward(event, url, secret)}`);
  } catch (error) {
    if (!signal.aborted || !(error instanceof FlorinError) || error.code !== 'call.aborted') throw error;
  }
}

/** The outcome, for people. A receiver that fails gets nothing again: the next run can begin `--after` an event. */
async function forward(event: FlorinEvent, url: string, secret: string): Promise<string> {
  const { body, headers } = await webhooks.sign(toMessage(event), { secret, id: event.id });
  const beganMs = performance.now();
  const since = () => `${Math.round(performance.now() - beganMs)} ms`;
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'user-agent': 'Florin-Webhooks/1' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return `-> ${answer.status} after ${since()}`;
  } catch (error) {
    const { message, cause } = error as Error;
    return `-> no answer after ${since()}: ${cause instanceof Error ? cause.message || String(cause) : message}`;
  }
}

/** The same at every start, so a receiver keeps its setting. The key cannot be computed from it. */
export const deriveSecret = (key: string): string =>
  `whsec_${createHmac('sha256', key).update('listen').digest('base64')}`;
