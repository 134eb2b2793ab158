import type { CallOptions } from '../calls.ts';
import { type EventsQuery, followFeed, followStream } from '../events.ts';
import type { FlorinEvent } from '../messages.ts';
import type { Connection } from './connect.ts';

const PAUSE_MS = 1_000;
/** Shorter than the time that proxies usually wait for an answer. */
const WAIT_SECONDS = 25;

/** A service polls the feed; a person's app reads a stream. */
export function readEvents(
  { call, send, options }: Connection,
  { after = 'now', types }: EventsQuery,
  given: CallOptions,
): AsyncGenerator<FlorinEvent, void, undefined> {
  const following = { after, signal: given.signal, pauseMs: options.retry?.firstPauseMs ?? PAUSE_MS };
  const queryFrom = (place: string) => ({ query: { after: place, ...(types && { types: types.join(',') }) } });
  if (options.backendKey === undefined)
    return followStream(
      (place) => send('stream_events', queryFrom(place), given) as Promise<ReadableStream<Uint8Array>>,
      following,
    );
  return followFeed(
    (place) =>
      // The first page, after `now`, is requested without waiting: if a held answer were lost, a repeated request would
      // start at a later `now` and miss its events.
      call('list_events', queryFrom(place), { ...(place !== 'now' && { waitSeconds: WAIT_SECONDS }), ...given }),
    following,
  );
}
