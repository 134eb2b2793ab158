import type { ServiceCaller, ServiceCallers } from '../../customers/keys/serviceKeys.ts';
import type { KnownCaller } from '../../customers/sessions/knownSessions.ts';
import type { Callers } from '../../customers/sessions/openCallers.ts';
import type { Queryable } from '../../db/database.ts';
import { parseTypes } from '../../events/eventTypes.ts';
import type { Follower } from '../../events/openFollower.ts';
import { findPlace, type Place } from '../../events/place.ts';
import { findHeldSince } from '../../events/readFeed.ts';
import { streamEvents } from '../../events/streamEvents.ts';
import { waitForEvents } from '../../events/waitForEvents.ts';
import { renderEvent } from '../answers/renderEvent.ts';
import { renderTime } from '../answers/renderTime.ts';
import { findWait } from '../calls/findWait.ts';
import type { ApiCall, Operation } from '../contract/createApi.ts';
import { authorize, type Mode } from './authorize.ts';

interface EventsApp {
  readonly db: Queryable;
  readonly follower: Follower;
  readonly callers: Callers;
  readonly serviceCallers: ServiceCallers;
  readonly mode: Mode;
}

const typesOf = ({ query }: ApiCall) => (query.types === undefined ? undefined : parseTypes(query.types));

/** A person gets their own events, a service those of everybody. */
export const listEventsOperation =
  (app: EventsApp): Operation =>
  async (call) => {
    const caller = call.caller as KnownCaller | ServiceCaller;
    const userId = 'userId' in caller ? caller.userId : undefined;
    const types = typesOf(call);
    const after = await findPlace(app.db, call.query.after!);
    const limit = Number.parseInt(call.query.limit!, 10);
    const waitSeconds = findWait(call.headers);
    const isGone = () => call.connection.destroyed;
    const page = await waitForEvents(app, { after, types, limit, userId }, (waitSeconds ?? 0) * 1000, isGone);
    if (waitSeconds !== undefined) {
      // While the answer was held, the session or the key may have ended, and commits may have been lost.
      await authorize(app, call);
      await findPlace(app.db, after.cursor);
    }
    const heldSince = page.isAll ? await findHeldSince(app.db) : undefined;
    return {
      body: {
        events: page.events.map((event) => renderEvent(event, userId)),
        next_cursor: page.next.cursor,
        has_more: !page.isAll,
        held_back_since: heldSince ? renderTime(heldSince.getTime()) : null,
      },
      headers: waitSeconds === undefined ? {} : { 'Preference-Applied': `wait=${waitSeconds}` },
    };
  };

/** Shorter than proxies usually wait for the next byte. */
const BEAT_MS = 15_000;
const RETRY_MS = 2_000;

/** The own events of a person, as server-sent events. */
export const streamEventsOperation =
  (app: EventsApp): Operation =>
  async (call) => {
    const types = typesOf(call);
    const resumed = call.headers['last-event-id'];
    const after = await findPlace(app.db, typeof resumed === 'string' && resumed !== '' ? resumed : call.query.after!);
    return {
      body: null,
      contentType: 'text/event-stream',
      // Tells nginx and those who follow its habits to pass every byte on at once.
      headers: { 'X-Accel-Buffering': 'no' },
      pieces: printStream(app, call.caller as KnownCaller, after, types),
    };
  };

async function* printStream(
  app: EventsApp,
  caller: KnownCaller,
  after: Place,
  types: readonly string[] | undefined,
): AsyncGenerator<string, void, void> {
  let stopWatching: (() => void) | undefined;
  const onOpen = (end: () => void) => {
    stopWatching = app.callers.watch(caller, end);
  };
  try {
    // An id without data: whoever is cut off before the first event goes on from here.
    yield `retry: ${RETRY_MS}\nid: ${after.cursor}\n\n`;
    const { userId } = caller;
    for await (const event of streamEvents(app, { userId, after, types, beatMs: BEAT_MS, onOpen }))
      yield event
        ? `id: ${event.place.cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(renderEvent(event, userId))}\n\n`
        : ':\n\n';
  } finally {
    stopWatching?.();
  }
}
