/** The client: one object for both APIs, for a person's app and for a server. */
import type { CallOptions } from '../calls.ts';
import type { EventsQuery } from '../events.ts';
import { type ClientOptions, connect } from './connect.ts';
import { personCalls } from './personCalls.ts';
import { readEvents } from './readEvents.ts';
import { serviceCalls } from './serviceCalls.ts';

export type FlorinClient = ReturnType<typeof createClient>;

/**
 * Creates a client. An app passes `backendUrl` and logs a person in. A server passes the URLs and keys of the APIs that it
 * uses. A call that needs an option which is missing fails with `client.misconfigured`, before anything is sent.
 */
export function createClient(options: ClientOptions) {
  const connection = connect(options);
  return {
    /** Any operation of either API, by its operation id. With `{ as: 'csv' }`, its answer as CSV. */
    call: connection.call,
    /**
     * Events as they happen, without gaps and without an end: leave the loop or abort the signal. With a `backendKey` of
     * the scope `events` those of all people, otherwise those of the person who is logged in. Store the `id` of each
     * processed event and pass it as `after` to resume there.
     */
    events: (query: EventsQuery = {}, given: CallOptions = {}) => readEvents(connection, query, given),
    ...personCalls(connection),
    ...serviceCalls(connection),
  };
}
