/** Node's HTTP server with every limit set and every way of being refused answered by us, with or without TLS. */
import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, PayError } from '../../core/errors.ts';
import { createTlsServer, type TlsSource } from './createTlsServer.ts';
import { type Host, renderFailure } from './exchange.ts';
import { BODY_LIMIT_BYTES } from './readBody.ts';
import { surviveSocketErrors } from './surviveSocketErrors.ts';

export interface Limits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** A socket on which nothing moves at all: a client that does not read its answer. */
  readonly stalledTimeoutMs: number;
  /** How often the time-outs are looked at: they are late by at most this much. */
  readonly checkIntervalMs: number;
}

const DEFAULT_LIMITS: Limits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  // Longer than the idle time of the usual load balancers, so that they never write to a socket we just closed.
  keepAliveTimeoutMs: 65_000,
  stalledTimeoutMs: 120_000,
  checkIntervalMs: 1_000,
};

export function createHttpServer(
  host: Host,
  answer: RequestListener,
  { limits = {}, tls }: { readonly limits?: Partial<Limits>; readonly tls?: TlsSource } = {},
): Server {
  const { headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs, stalledTimeoutMs, checkIntervalMs } = {
    ...DEFAULT_LIMITS,
    ...limits,
  };
  const options = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: checkIntervalMs,
    // Node's own answer to a missing Host has no body and no request id; `createApi` looks at it instead.
    requireHostHeader: false,
  };
  const server = tls
    ? createTlsServer(tls, { ...options, handshakeTimeout: headersTimeoutMs }, answer)
    : surviveSocketErrors(createServer(options, answer));
  server.timeout = stalledTimeoutMs;
  // By default Node drops every header beyond a number in silence, an Authorization among them. Their size is limited.
  server.maxHeadersCount = 0;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (Number(request.headers['content-length'] ?? 0) <= BODY_LIMIT_BYTES) response.writeContinue();
    answer(request, response);
  });
  server.on('checkExpectation', answer);
  server.on('connect', (_request, socket) => refuse(host, 'request.malformed', socket));
  // An Upgrade is answered like any other request as long as nobody listens for it. Fastify does so on the second
  // address of `localhost`, only to pass it on to nobody: the client would get no answer.
  server.once('listening', () => server.removeAllListeners('upgrade'));
  return server;
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'request.headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
};

/** How long the few bytes of a refusal may take to leave. */
const REFUSAL_PATIENCE_MS = 1_000;

/**
 * What Node's parser refuses never becomes a request: broken framing, headers beyond the limit, requests that do not
 * arrive in time. The answer goes to the bare socket.
 */
export function refuseBrokenHttp(host: Host, error: NodeJS.ErrnoException, socket: Duplex): void {
  // The head may have been fine and its answer on the way already, when the body breaks: then only hang up.
  const answering = (socket as Socket & { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent) socket.destroy();
  else refuse(host, CODES[error.code ?? ''] ?? 'request.malformed', socket);
}

function refuse(host: Host, code: ErrorCode, socket: Duplex): void {
  const requestId = randomUUID();
  const { status, body } = renderFailure(new PayError(code), requestId);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
  ];
  const hangUp = () => socket.destroy();
  // A TLS connection that the client has reset may never tell that the answer could not be written.
  const patience = setTimeout(hangUp, REFUSAL_PATIENCE_MS);
  socket.once('close', () => clearTimeout(patience));
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, hangUp);
  host.observe?.({ api: host.name, route: '', method: '', status, ms: 0, requestId, code });
}
