/** `http/events` publishes events to clients: the feed and its stream, and the management of webhooks. */
import { PayError } from '../../core/errors.ts';
import type { AccountCaller, ServiceCaller, ServiceCallers } from '../../customers/keys/serviceKeys.ts';
import type { KnownCaller } from '../../customers/sessions/knownSessions.ts';
import type { Callers } from '../../customers/sessions/openCallers.ts';
import type { Queryable } from '../../db/database.ts';
import { parseTypes } from '../../events/eventTypes.ts';
import { type FeedPosition, findPosition } from '../../events/feedPosition.ts';
import type { Follower } from '../../events/openFollower.ts';
import { openHorizon } from '../../events/openHorizon.ts';
import { findHeldSince } from '../../events/readFeed.ts';
import { streamEvents } from '../../events/streamEvents.ts';
import { waitForEvents } from '../../events/waitForEvents.ts';
import { renderEvent } from '../answers/renderEvent.ts';
import { renderTime } from '../answers/renderTime.ts';
import { authorize, type Mode, parseBearer } from '../backend/authorize.ts';
import { isAccountCaller } from '../backend/keys/keyOperations.ts';
import { mayReadNotes } from '../calls/authorizeKey.ts';
import { findWait } from '../calls/findWait.ts';
import { holdAnswer } from '../calls/holdAnswer.ts';
import type { HeldAnswers } from '../connections/limitHeldAnswers.ts';
import type { ApiCall, Operation } from '../contract/operation.ts';

interface EventsApp {
  readonly db: Queryable;
  readonly follower: Follower;
  readonly heldAnswers: HeldAnswers;
  readonly callers: Callers;
  readonly serviceCallers: ServiceCallers;
  readonly mode: Mode;
  readonly eventsKeptDays: number;
}

const typesOf = ({ query }: ApiCall) => (query.types === undefined ? undefined : parseTypes(query.types));

/** A person, or a key of their account, gets their own events; a service gets all events. */
export function listEventsOperation(app: EventsApp): Operation {
  const horizon = openHorizon(app.db, app.eventsKeptDays);
  return async (call) => {
    const caller = call.caller as KnownCaller | AccountCaller | ServiceCaller;
    const userId = 'userId' in caller ? caller.userId : undefined;
    const viewer = 'userId' in caller ? { userId: caller.userId } : { hasNotes: mayReadNotes(caller) };
    const types = typesOf(call);
    const after = await findPosition(app.db, call.query.after!, horizon);
    const limit = Number.parseInt(call.query.limit!, 10);
    const waitSeconds = findWait(call.headers);
    const query = { after, types, limit, userId };
    const who = 'userId' in caller ? caller.userId : caller.keyId;
    const held =
      waitSeconds === undefined
        ? undefined
        : await holdAnswer(app.heldAnswers, call, who, waitSeconds, (until) => waitForEvents(app, query, until));
    const page = held?.result ?? (await waitForEvents(app, query));
    if (held) {
      // While the answer was held, the session or the key may have ended, and commits may have been lost.
      await authorize(app, call);
      await findPosition(app.db, after.cursor, horizon);
    }
    const heldSince = page.isAll ? await findHeldSince(app.db) : undefined;
    return {
      body: {
        events: page.events.map((event) => renderEvent(event, viewer)),
        next_cursor: page.next.cursor,
        has_more: !page.isAll,
        held_back_since: heldSince ? renderTime(heldSince.getTime()) : null,
      },
      headers: !held ? {} : { 'Preference-Applied': `wait=${waitSeconds}` },
    };
  };
}

/** Shorter than the time that proxies usually wait for the next byte. */
const BEAT_MS = 15_000;
const RETRY_MS = 2_000;

/** Concurrent streams of one person (apps and tabs) on one server. */
const MOST_STREAMS = 20;

/** A person's own events as server-sent events. */
export function streamEventsOperation(app: EventsApp): Operation {
  const horizon = openHorizon(app.db, app.eventsKeptDays);
  const streams = countStreams();
  return async (call) => {
    const types = typesOf(call);
    const resumed = call.headers['last-event-id'] || call.query.lastEventId;
    const cursor = typeof resumed === 'string' && resumed !== '' ? resumed : call.query.after!;
    const after = await findPosition(app.db, cursor, horizon);
    return {
      body: null,
      contentType: 'text/event-stream',
      // Tells nginx and compatible proxies not to buffer.
      headers: { 'X-Accel-Buffering': 'no' },
      pieces: printStream(app, streams, call, { after, types, isNamed: call.query.event_name === 'type' }),
    };
  };
}

type Streams = ReturnType<typeof countStreams>;

/** Counts the open streams of each person. */
function countStreams() {
  const open = new Map<string, number>();
  return {
    begin(userId: string): void {
      const count = open.get(userId) ?? 0;
      if (count >= MOST_STREAMS)
        throw new PayError('event.too_many_streams', { maximum: String(MOST_STREAMS), retry_after_seconds: 5 });
      open.set(userId, count + 1);
    },
    end(userId: string): void {
      const left = open.get(userId)! - 1;
      if (left === 0) open.delete(userId);
      else open.set(userId, left);
    },
  };
}

interface Wanted {
  readonly after: FeedPosition;
  readonly types: readonly string[] | undefined;
  /** Otherwise all events have the default name, and a browser's `onmessage` receives them. */
  readonly isNamed: boolean;
}

async function* printStream(
  app: EventsApp,
  streams: Streams,
  { caller: found, connection, headers }: ApiCall,
  { after, types, isNamed }: Wanted,
): AsyncGenerator<string, void, void> {
  const caller = found as KnownCaller | AccountCaller;
  const { userId } = caller;
  let stopWatching: (() => void) | undefined;
  const onOpen = (end: () => void) => {
    const stop = isAccountCaller(caller)
      ? app.serviceCallers.watch(parseBearer(headers.authorization!), end)
      : app.callers.watch(caller, end);
    // Otherwise a closed connection would be noticed only at the next heartbeat.
    connection.once('close', end);
    if (connection.destroyed) end();
    stopWatching = () => {
      stop();
      connection.off('close', end);
    };
  };
  streams.begin(userId);
  try {
    // An id without data: a client that is disconnected before the first event resumes here.
    yield `retry: ${RETRY_MS}\nid: ${after.cursor}\n\n`;
    for await (const event of streamEvents(app, { userId, after, types, beatMs: BEAT_MS, onOpen }))
      yield event
        ? `id: ${event.place.cursor}\n${isNamed ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(renderEvent(event, { userId }))}\n\n`
        : ':\n\n';
  } finally {
    streams.end(userId);
    stopWatching?.();
  }
}
