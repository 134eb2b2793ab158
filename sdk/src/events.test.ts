import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createClient } from './client/createClient.ts';
import type { FlorinError } from './FlorinError.ts';
import type { FlorinEvent } from './messages.ts';

const eventOf = (nth: number) => ({ id: `evt_${nth}`, type: 'payment.complete', transaction_id: `ü${nth}` });
const print = (nth: number) => `id: evt_${nth}\nevent: payment.complete\ndata: ${JSON.stringify(eventOf(nth))}\n\n`;
const store = {
  load: () => ({
    userId: 'u',
    sessionId: 's',
    accessToken: 'fla_1',
    accessEndsAt: Date.now() + 600_000,
    refreshToken: 'flr_1',
    refreshKey: 'k',
  }),
  save: () => {},
};
const retry = { firstPauseMs: 1 };
const problem = (status: number, code: string, more = {}) =>
  new Response(JSON.stringify({ code, status, title: 't', detail: 'd', retryable: false, ...more }), {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });

type Reply = (init: RequestInit) => Response | Promise<Response>;
function play(replies: readonly Reply[]) {
  const urls: string[] = [];
  return {
    urls,
    fetch: async (url: string, init: RequestInit) => {
      urls.push(url.replace(/^.*\/events/, ''));
      return replies[Math.min(urls.length, replies.length) - 1]!(init);
    },
  };
}

/** A stream of these pieces, which then ends, breaks, or stays open. */
function streamOf(pieces: readonly string[], then: 'ends' | 'breaks' | 'stays', onCancel = () => {}): Reply {
  return ({ signal }) => {
    const bytes = new TextEncoder().encode(pieces.join(''));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        // Cuts the text into small parts, in the middle of lines and letters.
        for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
        if (then === 'ends') controller.close();
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
      pull(controller) {
        if (then === 'breaks') controller.error(new TypeError('terminated'));
      },
      cancel: onCancel,
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
}

async function take(events: AsyncIterable<FlorinEvent>, count: number): Promise<string[]> {
  const taken: string[] = [];
  for await (const { id } of events) {
    taken.push(id);
    if (taken.length === count) break;
  }
  return taken;
}
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as FlorinError,
  );

describe('a stream of events', () => {
  it('resumes after its last event when it ends, breaks or is temporarily refused, and is released at the end', async () => {
    let isCancelled = false;
    const { fetch, urls } = play([
      streamOf(['retry: 2000\nid: evt_0\n\n'], 'ends'),
      streamOf([print(1), ':\n\n', print(2), 'id: evt_3\ndata: {"cut'], 'breaks'),
      () => problem(503, 'service.unavailable'),
      () => Promise.reject(new TypeError('fetch failed')),
      streamOf([print(3), print(4)], 'stays', () => {
        isCancelled = true;
      }),
    ]);
    const florin = createClient({ backendUrl: 'https://api.example', store, fetch, retry });
    const events = florin.events({ types: ['payment.*', 'deposit.complete'] });
    expect(await take(events, 4)).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_4']);
    const types = '&types=payment.*%2Cdeposit.complete';
    expect(urls).toEqual([
      `/stream?after=now${types}`,
      `/stream?after=evt_0${types}`,
      ...Array.from({ length: 3 }, () => `/stream?after=evt_2${types}`),
    ]);
    expect(isCancelled).toBe(true);
  });

  it('has letters of every kind', async () => {
    const { fetch } = play([streamOf([print(5)], 'stays')]);
    const florin = createClient({ backendUrl: 'https://api.example', store, fetch, retry });
    for await (const event of florin.events()) {
      expect(event).toEqual(eventOf(5));
      break;
    }
  });

  it('leaves nothing behind when its caller aborts, however often it was opened', async () => {
    const { signal } = new AbortController();
    const held: number[] = [];
    const ends = streamOf(['id: evt_0\n\n'], 'ends');
    const breaks = streamOf(['id: evt_0\n\n'], 'breaks');
    const { fetch } = play([ends, breaks, ends, breaks, ends, streamOf([print(1)], 'stays')]);
    const counting = (url: string, init: RequestInit) => {
      held.push(getEventListeners(signal, 'abort').length);
      return fetch(url, init);
    };
    const florin = createClient({ backendUrl: 'https://api.example', store, fetch: counting, retry });
    expect(await take(florin.events({}, { signal }), 1)).toEqual(['evt_1']);
    expect(held).toEqual(Array(6).fill(held[0]));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends with a permanent error, and with its signal', async () => {
    const lost = play([() => problem(410, 'cursor.lost', { resume_after: 'evt_1' })]);
    const florin = createClient({ backendUrl: 'https://api.example', store, fetch: lost.fetch, retry });
    const error = await caught(take(florin.events({ after: 'evt_9' }), 1));
    expect(error).toMatchObject({ code: 'cursor.lost', status: 410, problem: { resume_after: 'evt_1' } });
    const quiet = play([streamOf([], 'stays')]);
    const other = createClient({ backendUrl: 'https://api.example', store, fetch: quiet.fetch, retry });
    const giving = new AbortController();
    setTimeout(() => giving.abort(), 10);
    expect(await caught(take(other.events({}, { signal: giving.signal }), 1))).toMatchObject({ code: 'call.aborted' });
  });
});

describe('the feed, for services', () => {
  it('is not read in a loop when a proxy removes Prefer, so that empty pages come immediately', async () => {
    const empty = (next: string): Reply => {
      const text = JSON.stringify({ events: [], next_cursor: next, has_more: false });
      return () => new Response(text, { headers: { 'content-type': 'application/json' } });
    };
    const giving = new AbortController();
    // The third call would be part of the loop.
    const { fetch, urls } = play([empty('evt_1'), empty('evt_1'), () => expect.fail('it loops')]);
    const service = createClient({
      backendUrl: 'https://api.example',
      backendKey: 'fsk_1',
      fetch: async (url: string, init: RequestInit) => {
        const answer = await fetch(url, init);
        if (urls.length === 2) setTimeout(() => giving.abort(), 10);
        return answer;
      },
      retry: { firstPauseMs: 60_000, attempts: 1 },
    });
    const events = service.events({ after: 'now' }, { signal: giving.signal });
    expect(await caught(take(events, 1))).toMatchObject({ code: 'call.aborted' });
    expect(urls).toEqual(['?after=now', '?after=evt_1']);
  });

  it('is read page by page, waits for new events, and resumes after a failure', async () => {
    const page = (ids: number[], next: string): Reply => {
      const text = JSON.stringify({ events: ids.map(eventOf), next_cursor: next, has_more: false });
      return ({ headers }) => {
        expect(headers).toMatchObject({ Prefer: 'wait=25', Authorization: 'Bearer fsk_1' });
        return new Response(text, { headers: { 'content-type': 'application/json' } });
      };
    };
    const { fetch, urls } = play([
      page([1, 2], 'evt_2'),
      page([], 'evt_5'),
      () => Promise.reject(new TypeError('fetch failed')),
      page([6], 'evt_6'),
    ]);
    const service = createClient({
      backendUrl: 'https://api.example',
      backendKey: 'fsk_1',
      fetch,
      retry: { ...retry, attempts: 1 },
    });
    expect(await take(service.events({ after: 'start' }), 3)).toEqual(['evt_1', 'evt_2', 'evt_6']);
    expect(urls).toEqual(['?after=start', '?after=evt_2', '?after=evt_5', '?after=evt_5']);
  });
});
