/** Writes the request of a call: address, headers, body. Whatever cannot be sent fails here, before anything is sent. */
import type { Call, CallOptions, Input } from './calls.ts';
import type { Attempt } from './exchange.ts';
import { FlorinError, type FlorinErrorParts } from './FlorinError.ts';
import { writeBody } from './json.ts';

/** The client writes these itself, some from `CallOptions`. */
const OWN = ['accept', 'authorization', 'content-type', 'idempotency-key', 'prefer', 'x-request-id'];

interface Defaults {
  readonly baseUrl: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

export function prepare(
  { baseUrl, headers: defaults }: Defaults,
  call: Call,
  { path, query, body }: Input,
  { waitSeconds, headers: given, as }: CallOptions & { readonly as?: 'csv' },
  idempotencyKey: string | undefined,
): Pick<Attempt, 'url' | 'init'> {
  const accept = call.streams ? 'text/event-stream' : call.csv || as === 'csv' ? 'text/csv' : 'application/json';
  const headers: Record<string, string> = {
    ...defaults,
    ...readHeaders(given),
    Accept: accept,
    ...(body !== undefined && { 'Content-Type': typeof body === 'string' ? 'text/csv' : 'application/json' }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    ...(call.waits && waitSeconds !== undefined && { Prefer: `wait=${Math.ceil(waitSeconds)}` }),
  };
  try {
    const filled = call.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path?.[name])));
    const asked = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(
      Object.fromEntries(asked.map(([name, value]) => [name, String(value)])),
    ).toString();
    const url = `${baseUrl}${filled}${search && `?${search}`}`;
    // Both throw if the platform's fetch would, which would look like a lost connection.
    new URL(url);
    new Headers(headers);
    const text = typeof body === 'string' || body === undefined ? body : writeBody(body, call.amounts ?? []);
    return {
      url,
      init: {
        method: call.method,
        headers,
        ...(text !== undefined && { body: text }),
        // Only we send credentials, and only to the given address.
        credentials: 'omit',
        redirect: 'error',
      },
    };
  } catch (cause) {
    throw new FlorinError({ ...describeUnsendable(cause), idempotencyKey });
  }
}

function describeUnsendable(cause: unknown): FlorinErrorParts {
  if (cause instanceof FlorinError) return { ...cause, cause };
  return { code: 'request.invalid', title: 'The request cannot be sent', detail: String(cause), cause };
}

/** With lower-case names, so that two spellings of a header are one. */
export function readHeaders(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const read = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  const own = read.find(([name]) => OWN.includes(name));
  if (own)
    throw new FlorinError({
      code: 'client.misconfigured',
      title: 'The client writes this header itself',
      detail: `headers cannot contain ${own[0]}: use the options of the client and of the call.`,
    });
  return Object.fromEntries(read);
}
