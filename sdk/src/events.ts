/** Events in order and without gaps, across disconnections and restarts: by polling, or as a stream. */
import { FlorinError } from './FlorinError.ts';
import type { components } from './generated/backend.ts';
import { readJson } from './json.ts';
import type { FlorinEvent } from './messages.ts';
import { isPassing } from './retry.ts';
import { wait } from './wait.ts';

type EventPage = components['schemas']['EventPage'];

export interface EventsQuery {
  /** The `id` of the last event that you have processed, `start` or `now`. Default: `now`. */
  readonly after?: string | undefined;
  /** Such as `['payment.complete', 'deposit.*']`. Default: all. */
  readonly types?: readonly string[] | undefined;
}

interface Following {
  readonly after: string;
  readonly signal: AbortSignal | undefined;
  /** The delay before the next attempt after an error. */
  readonly pauseMs: number;
}

/** The service sends data at least every 15 seconds. */
const SILENCE_MS = 50_000;

/** An empty page that comes sooner was not delayed: a proxy has removed `Prefer`, or too many calls wait already. */
const QUICK_MS = 1_000;

/** Pages of the feed, one after the other; `readPage` itself waits for new events. */
export async function* followFeed(
  readPage: (after: string) => Promise<EventPage>,
  following: Following,
): AsyncGenerator<FlorinEvent, void, undefined> {
  let { after } = following;
  for (;;) {
    try {
      const beganMs = Date.now();
      const page = await readPage(after);
      // The document describes one shape for all types; the union is narrower.
      yield* page.events as FlorinEvent[];
      const isQuick = page.events.length === 0 && !page.has_more && Date.now() - beganMs < QUICK_MS;
      // The first page after `now` is not delayed.
      const spins = isQuick && after !== 'now';
      after = page.next_cursor;
      if (spins) await pause(following, following.pauseMs);
    } catch (error) {
      await pauseIfPassing(error, following);
    }
  }
}

/** A stream of events, reopened after its last event whenever it ends. */
export async function* followStream(
  open: (after: string) => Promise<ReadableStream<Uint8Array>>,
  following: Following,
): AsyncGenerator<FlorinEvent, void, undefined> {
  let { after } = following;
  for (;;) {
    try {
      for await (const { id, data } of readStream(await open(after))) {
        if (id !== undefined) after = id;
        if (data !== undefined) yield readJson(data) as FlorinEvent;
      }
      await pauseIfPassing(ended, following);
    } catch (error) {
      await pauseIfPassing(error, following);
    }
  }
}

const ended = new FlorinError({ code: 'connection.lost', title: 'The stream has ended', retryable: true });

/** Retries every temporary error without a limit: a reader of events has nothing else to do. */
async function pauseIfPassing(error: unknown, { signal, pauseMs }: Following): Promise<void> {
  if (signal?.aborted) throw aborted(signal.reason);
  if (!(error instanceof FlorinError) || !isPassing(error)) throw error;
  await pause({ signal }, Math.max(pauseMs * (0.5 + Math.random()), (error.retryAfterSeconds ?? 0) * 1000));
}

const pause = ({ signal }: Pick<Following, 'signal'>, ms: number): Promise<void> =>
  wait(ms, signal).catch((reason: unknown) => {
    throw aborted(reason);
  });

const aborted = (cause: unknown) => new FlorinError({ code: 'call.aborted', title: 'The call was aborted', cause });

/** Parses server-sent events: `id` and `data` of each. Comments keep the stream alive. */
async function* readStream(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<{ readonly id: string | undefined; readonly data: string | undefined }, void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await readOrLose(reader);
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) yield { id: findField(block, 'id'), data: findField(block, 'data') };
    }
  } finally {
    // Also when the caller stops reading: releases the connection.
    await reader.cancel().catch(() => {});
  }
}

/** The service writes each field in one line, and ends lines with LF only. */
const findField = (block: string, name: string): string | undefined =>
  new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];

async function readOrLose(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> {
  const over = new AbortController();
  const silence = wait(SILENCE_MS, over.signal).then(() => {
    throw ended;
  });
  silence.catch(() => {});
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (cause) {
    throw cause instanceof FlorinError ? cause : new FlorinError({ ...ended, cause });
  } finally {
    over.abort();
  }
}
