/** One request and its answer. All answers of an API are written here, so that all have the same headers. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, errorTable, type PayError, renderProblem } from '../../core/errors.ts';
import { writeBody } from '../connections/writeBody.ts';

/** For the access log and the metrics. */
export interface Seen {
  readonly api: string;
  /** The template, not the path itself, which may contain a name or an address; empty if no route matched. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  readonly requestId: string;
  /** The operation id in the document; empty for pages and if no route matched. */
  readonly operation: string;
  readonly code: ErrorCode | undefined;
  /** The payment that was made, read or changed. */
  readonly paymentId: string | undefined;
  /** The caller's service key. */
  readonly keyId: string | undefined;
  /** The W3C trace context of the request. */
  readonly traceparent: string | undefined;
}

/** The same with everything that was said. Only the sandbox keeps it: `keep`. */
export interface KeptCall extends Seen {
  readonly path: string;
  readonly idempotencyKey: string | undefined;
  readonly request: Uint8Array | undefined;
  /** Undefined for an answer that is sent in pieces. */
  readonly answer: string | Buffer | undefined;
}

/** nginx's status for a client that disconnected before the answer. It is only logged and counted, never sent. */
const CLIENT_HUNG_UP = 499;

/** Shared by all exchanges of one API. */
export interface Host {
  readonly name: string;
  readonly observe: ((seen: Seen) => void) | undefined;
  /** Gets every call of an operation, with its bodies; undefined in production. */
  readonly keep?: ((call: KeptCall) => void) | undefined;
  /** Sent with every answer; a page may replace them with its own. Name, value, name, value. */
  readonly headers: readonly string[];
  /** Set when the server shuts down: answers then close their connections. */
  closing: boolean;
}

export interface Exchange {
  readonly host: Host;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly startedMs: number;
  /** The client's IPv4 address or IPv6 network; see `findAddress`. */
  readonly address: string;
  /** Added to every answer, including errors. Name, value, name, value. */
  readonly answerHeaders: string[];
  route: string;
  /** False if the path has escaped slashes or control characters. */
  isPlainPath: boolean;
  /** Why the request was not admitted. */
  refusal: unknown;
  operation: string;
  paymentId: string | undefined;
  keyId: string | undefined;
  isSeen: boolean;
  /** Only for `keep` of the host. */
  bodyBytes: Uint8Array | undefined;
  sent: string | Buffer | undefined;
}

export function openExchange(
  host: Host,
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
): Exchange {
  const requestId = findRequestId(request.headers['x-request-id']) ?? randomUUID();
  const startedMs = host.observe ? performance.now() : 0;
  return {
    host,
    request,
    response,
    requestId,
    startedMs,
    address,
    answerHeaders: [],
    route: '',
    isPlainPath: true,
    refusal: undefined,
    operation: '',
    paymentId: undefined,
    keyId: undefined,
    isSeen: false,
    bodyBytes: undefined,
    sent: undefined,
  };
}

/** Other sites cannot use an answer as a page, frame or script, unless it sets its own headers. */
export const SECURITY_HEADERS: readonly string[] = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Resource-Policy',
  'same-origin',
];

/** Only with TLS: after this header, a browser no longer uses plain HTTP with this host name. */
export const TLS_HEADERS: readonly string[] = ['Strict-Transport-Security', 'max-age=31536000'];

/** The request id is logged and shown, so it must not be a token of ours or of anyone else. */
const REQUEST_ID = /^(?!eyJ|fl[ar]_|fsk_|_act-)[A-Za-z0-9._-]{1,64}$/;

function findRequestId(given: string | string[] | undefined): string | undefined {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : undefined;
}

/** From this length on, an answer is written in pieces. Few answers are that long: statements and long histories. */
const LARGE_BYTES = 32_768;

const HAS_NO_CONTENT: readonly number[] = [204, 304];

interface Sent {
  readonly status: number;
  readonly contentType?: string;
  readonly body: string | Buffer;
  readonly isAscii?: boolean | undefined;
  /** Name, value, name, value. */
  readonly headers?: readonly string[] | undefined;
  readonly code?: ErrorCode | undefined;
}

export function send(exchange: Exchange, { status, contentType, body, isAscii, headers, code }: Sent): void {
  const { host, request, response, requestId } = exchange;
  if (response.headersSent) return;
  if (response.destroyed) {
    see(exchange, CLIENT_HUNG_UP, code);
    return;
  }
  exchange.sent = body;
  const length = isAscii || typeof body !== 'string' ? body.length : Buffer.byteLength(body);
  const lines = ['X-Request-Id', requestId, ...host.headers, ...exchange.answerHeaders];
  // RFC 9110, 8.6 and 15.4.5: a 204 has no length, and a 304 would describe the answer that the client already has.
  if (!HAS_NO_CONTENT.includes(status)) {
    lines.push('Content-Length', String(length));
    if (contentType !== undefined) lines.push('Content-Type', contentType);
  }
  if (headers) addHeaders(lines, headers);
  if (!headers?.includes('Cache-Control')) lines.push('Cache-Control', 'no-store');
  const hangUp = status === 413;
  if (hangUp || host.closing) lines.push('Connection', 'close');
  response.writeHead(status, lines);
  if (hangUp) endAfterDraining(exchange, body);
  else if (request.method === 'HEAD') response.end();
  else if (length > LARGE_BYTES) writeBody(response, typeof body === 'string' ? Buffer.from(body) : body);
  else end(response, body, length);
  see(exchange, status, code);
}

/** The client disconnected before its request was read. */
export const seeHungUp = (exchange: Exchange): void => see(exchange, CLIENT_HUNG_UP);

/** Every request is observed once, including requests that can no longer be answered. */
export function see(exchange: Exchange, status: number, code?: ErrorCode): void {
  const { host, request } = exchange;
  if (!host.observe || exchange.isSeen) return;
  exchange.isSeen = true;
  const { traceparent } = request.headers;
  const seen: Seen = {
    api: host.name,
    route: exchange.route,
    method: request.method ?? '',
    status,
    ms: performance.now() - exchange.startedMs,
    requestId: exchange.requestId,
    operation: exchange.operation,
    code,
    paymentId: exchange.paymentId,
    keyId: exchange.keyId,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  };
  host.observe(seen);
  if (host.keep && exchange.operation) keepCall(exchange, seen, host.keep);
}

/** Paths of pages are not kept: those of the wallet's login contain codes. */
function keepCall({ request, bodyBytes, sent }: Exchange, seen: Seen, keep: (call: KeptCall) => void): void {
  const { 'idempotency-key': key } = request.headers;
  keep({
    ...seen,
    path: request.url ?? '',
    idempotencyKey: typeof key === 'string' ? key : undefined,
    request: bodyBytes,
    answer: sent,
  });
}

/**
 * Writes head and body in one write. `end(body)` alone makes two parts, the second one empty, and writing several parts
 * costs Node more than writing one text: 18.3 instead of 15.6 µs for a call that does nothing else.
 */
function end(response: ServerResponse, body: string | Buffer, length: number): void {
  const { socket } = response;
  // With as many bytes as characters, the body is ASCII. Without a socket, the answer waits for an earlier request.
  if (typeof body !== 'string' || body.length !== length || length === 0 || !socket?.writable) {
    response.end(body);
    return;
  }
  // We cork the socket ourselves, so that `write` does not cork it and uncork it a turn later.
  socket.cork();
  response.write(body, 'latin1');
  socket.uncork();
  response.end();
}

/** A header of this answer replaces the API's header of the same name. */
export function addHeaders(lines: string[], headers: readonly string[]): void {
  for (let i = 0; i < headers.length; i += 2) {
    const at = lines.indexOf(headers[i]!);
    if (at === -1) lines.push(headers[i]!, headers[i + 1]!);
    else lines[at + 1] = headers[i + 1]!;
  }
}

const DRAIN_MS = 1000;

/**
 * If we closed immediately while the client is still sending, a connection reset would destroy our answer. So we send
 * the whole answer, discard what still arrives, and close the socket after a second at the latest.
 */
function endAfterDraining({ request, response }: Exchange, body: string | Buffer): void {
  response.write(body);
  const timer = setTimeout(() => response.end(), DRAIN_MS);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => response.end());
  request.resume();
}

export function sendJson(exchange: Exchange, status: number, body: string, headers?: readonly string[]): void {
  send(exchange, { status, contentType: 'application/json', body, ...(headers && { headers }) });
}

export function sendProblem(exchange: Exchange, error: PayError): void {
  const { status, body, headers } = renderFailure(error, exchange.requestId);
  send(exchange, { status, contentType: 'application/problem+json', body, headers, code: error.code });
}

/** The problem document of an error, with the headers that its status needs. */
export function renderFailure(error: PayError, requestId: string): { status: number; body: string; headers: string[] } {
  const row: { status: number; retryable: boolean } = errorTable[error.code];
  const headers: string[] = [];
  if (row.status === 401) {
    const refused = error.code === 'auth.invalid' ? ', error="invalid_token"' : '';
    headers.push('WWW-Authenticate', `Bearer realm="florin"${refused}`);
  }
  if (error.code === 'auth.scope') {
    headers.push(
      'WWW-Authenticate',
      `Bearer realm="florin", error="insufficient_scope", scope="${error.details.scope}"`,
    );
  }
  if (row.status === 503 || row.status === 429 || (row.status === 409 && row.retryable)) {
    headers.push('Retry-After', String(error.details.retry_after_seconds ?? 1));
  }
  const body = JSON.stringify({ ...renderProblem(error), request_id: requestId });
  return { status: row.status, body, headers };
}
