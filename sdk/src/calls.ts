/** The arguments and answers of calls, derived from the generated tables and types. */

import type { operations as BackendOperations } from './generated/backend.ts';
import type { backendCalls, web3Calls } from './generated/calls.ts';
import type { operations as Web3Operations } from './generated/web3.ts';

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
  /** Members of the body that are amounts. */
  readonly amounts?: readonly string[];
}

/** Calls are named by the operation ids of the reference. */
export type BackendCall = keyof typeof backendCalls & keyof BackendOperations;
export type Web3Call = keyof typeof web3Calls & keyof Web3Operations;

type PathOf<O> = O extends { parameters: { path: infer P } } ? { readonly path: P } : unknown;
type QueryOf<O> = O extends { parameters: { query: infer Q } }
  ? { readonly query: Q }
  : O extends { parameters: { query?: infer Q } }
    ? [Exclude<Q, undefined>] extends [never]
      ? unknown
      : { readonly query?: Exclude<Q, undefined> }
    : unknown;
type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? { readonly body: B }
  : unknown;
type InputOf<O> = PathOf<O> & QueryOf<O> & BodyOf<O>;
type AnswerOf<O> = O extends { responses: { 200: { content: { 'application/json': infer A } } } } ? A : unknown;

export type BackendInput<Name extends BackendCall> = InputOf<BackendOperations[Name]>;
export type BackendAnswer<Name extends BackendCall> = AnswerOf<BackendOperations[Name]>;
export type Web3Input<Name extends Web3Call> = InputOf<Web3Operations[Name]>;
export type Web3Answer<Name extends Web3Call> = AnswerOf<Web3Operations[Name]>;

/** Any of the inputs above, as the transport reads it. */
export interface Input {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
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
}
