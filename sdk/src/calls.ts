/** The arguments and answers of calls, derived from the generated tables and types. */

import type { operations as BackendOperations } from './generated/backend.ts';
import { backendCalls, web3Calls } from './generated/calls.ts';
import type { operations as Web3Operations } from './generated/web3.ts';
import type { RetryPolicy } from './retry.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  /** The call changes something, so it matters whether it was carried out. */
  readonly changes?: true;
  /** It takes an Idempotency-Key. */
  readonly keyed?: true;
  /** It takes `Prefer: wait`. */
  readonly waits?: true;
  readonly repeatable?: true;
  /** Its answer is a stream of events. */
  readonly streams?: true;
  /** Its only answer is CSV. */
  readonly csv?: true;
  /** Whose call it is: a person's, a service's, or both. */
  readonly credential?: 'session' | 'key' | 'either';
  /** Members of the body that are amounts. */
  readonly amounts?: readonly string[];
}

/** Every operation of both APIs, under its operation id of the references. */
export const calls = { ...backendCalls, ...web3Calls } as const;

type Operations = BackendOperations & Web3Operations;
export type CallName = keyof typeof calls & keyof Operations;
/** Calls whose answer can be CSV. */
export type CsvCall = {
  [Name in CallName]: Operations[Name] extends { responses: { 200: { content: { 'text/csv': string } } } }
    ? Name
    : never;
}[CallName];

type PathOf<O> = O extends { parameters: { path: infer P } } ? { readonly path: P } : unknown;
type QueryOf<O> = O extends { parameters: { query: infer Q } }
  ? { readonly query: Q }
  : O extends { parameters: { query?: infer Q } }
    ? [Exclude<Q, undefined>] extends [never]
      ? unknown
      : { readonly query?: Exclude<Q, undefined> }
    : unknown;
/** A body that is text is CSV. */
type BodyOf<O> = O extends { requestBody: { content: infer C } } ? { readonly body: C[keyof C] } : unknown;
type JsonOf<O> = O extends { responses: { 200: { content: infer C } } }
  ? C extends { 'application/json': infer A }
    ? A
    : C extends { 'text/csv': string }
      ? CsvFile
      : unknown
  : unknown;

export type CallInput<Name extends CallName> = PathOf<Operations[Name]> &
  QueryOf<Operations[Name]> &
  BodyOf<Operations[Name]>;
export type CallAnswer<Name extends CallName> = Answered<JsonOf<Operations[Name]>>;
export type CallQuery<Name extends CallName> = NonNullable<
  CallInput<Name> extends { readonly query?: infer Query } ? Query : never
>;

/** How the service answered a call. */
export interface LastResponse {
  /** Of HTTP, such as 200. */
  readonly status: number;
  /** Such as `Idempotency-Replayed` and `RateLimit`. */
  readonly headers: Headers;
  /** Identifies the call in the service's log. */
  readonly requestId: string;
  /** The key under which the call was carried out; undefined if it takes none. */
  readonly idempotencyKey: string | undefined;
  /** The number of attempts, including the first. */
  readonly attempts: number;
}

/** An answer. `lastResponse` is not enumerable: it is not part of JSON, of copies and of comparisons. */
export type Answered<A> = A & { readonly lastResponse: LastResponse };

export interface CsvFile {
  /** The whole file, with its header line. */
  readonly text: string;
  /** The cursor of the next page; null if there is none. */
  readonly next: string | null;
}

/** Any of the inputs above, as the transport reads it. */
export interface Input {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>> | string;
}

export interface CallOptions {
  /** Aborts the call, including a wait before its next attempt. */
  readonly signal?: AbortSignal | undefined;
  /** For each attempt; default: the client's timeout. */
  readonly timeoutMs?: number | undefined;
  /**
   * For calls that are carried out once. By default, the client creates a key for this call and uses it for all its
   * attempts. Give a key that you have stored, and the call is carried out once even if your program crashes and starts
   * again.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * For payments to addresses: holds the answer until the payment has ended, at most this many seconds (60 at most).
   */
  readonly waitSeconds?: number | undefined;
  /** Replaces single values of the client's retry policy: `{ attempts: 1 }` makes one attempt. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Sent with each attempt, such as `traceparent`. In a browser, the service's CORS rules apply. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Asks for CSV instead of JSON. */
export interface CsvOptions extends CallOptions {
  readonly as: 'csv';
}
