import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../../core/errors.ts';
import type { JsonValue } from './json.ts';

export interface ApiCall {
  /** Path parameters, validated. */
  readonly params: Readonly<Record<string, string>>;
  /** Declared query parameters, validated, with defaults; if a name is repeated, the last value applies. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Declared members, validated, with defaults; numbers are `JsonNumber`. Null if the operation declares no body. */
  readonly body: JsonValue;
  /** The raw bytes, for request hashes. */
  readonly bodyBytes: Buffer | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
  readonly operationId: string;
  /** The template, for example `/api/v1/kyc/status/{email}`: safe to log. */
  readonly route: string;
  /** The result of `authorize`. */
  readonly caller: unknown;
  /** Destroyed when the caller has disconnected and no longer waits for the answer. */
  readonly connection: Pick<Socket, 'destroyed' | 'once' | 'off'>;
  /** SHA-256 of the client's certificate; see `findCertificate`. */
  readonly certificate: string | undefined;
  /** The client's IPv4 address or IPv6 network; see `findAddress`. */
  readonly address: string;
  /** See `Visit`. */
  readonly answerHeaders: string[];
}

export interface ApiAnswer {
  /** Default: 200. */
  readonly status?: number;
  /** A JSON value; a string or bytes when `contentType` is given. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly contentType?: string;
  /**
   * Instead of the body, with status 200: the parts of a text too long to hold in memory, produced as the client reads
   * them.
   */
  readonly pieces?: AsyncIterable<string>;
  /** The body is a string with as many bytes as characters, so its length need not be counted. */
  readonly isAscii?: boolean;
  /** For the log: the payment that the answer is about. Not needed if the path contains its `transaction_id`. */
  readonly paymentId?: string;
  /** For the log: the answer is a refusal. */
  readonly code?: ErrorCode;
}

export type Operation = (call: ApiCall) => Promise<ApiAnswer>;

/** A request before it is routed. */
export interface Visit {
  /** The client's IPv4 address or IPv6 network; see `findAddress`. */
  readonly address: string;
  /** Headers that are added to every answer, including errors. Name, value, name, value. */
  readonly answerHeaders: string[];
}

/** A call before its body is read. */
export interface IncomingCall
  extends Visit,
    Pick<ApiCall, 'headers' | 'requestId' | 'operationId' | 'route' | 'certificate'> {}

/** The caller, or a promise of it: only a call that has to wait pays for waiting. */
export type Authorize = (call: IncomingCall) => unknown;
