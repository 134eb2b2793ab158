/** Node's HTTP server, with or without TLS, with all limits set; every refusal is answered by us, not by Node. */
import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { BlockList, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, PayError } from '../../core/errors.ts';
import { type ConnectionLimits, limitConnections } from '../connections/limitConnections.ts';
import { limitPipelining } from '../connections/limitPipelining.ts';
import { surviveSocketErrors } from '../connections/surviveSocketErrors.ts';
import { createTlsServer, type TlsSource } from './createTlsServer.ts';
import { type Host, renderFailure } from './exchange.ts';
import { BODY_LIMIT_BYTES } from './readBody.ts';

export interface Limits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** For a socket on which nothing is sent or received: a client that does not read its answer. */
  readonly stalledTimeoutMs: number;
  /** How often the time-outs are checked, so they may be late by this much. */
  readonly checkIntervalMs: number;
}

const DEFAULT_LIMITS: Limits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  // Longer than the idle time of common load balancers, so that they never write to a socket we just closed.
  keepAliveTimeoutMs: 65_000,
  stalledTimeoutMs: 120_000,
  checkIntervalMs: 1_000,
};

interface HttpServerOptions {
  readonly limits?: Partial<Limits> | undefined;
  readonly tls?: TlsSource | undefined;
  readonly connections?: ConnectionLimits | undefined;
  readonly proxies?: BlockList | undefined;
}

export function createHttpServer(
  host: Host,
  answer: RequestListener,
  { limits = {}, tls, connections, proxies }: HttpServerOptions = {},
): Server {
  const answerInTurn = limitPipelining(answer);
  const { headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs, stalledTimeoutMs, checkIntervalMs } = {
    ...DEFAULT_LIMITS,
    ...limits,
  };
  const options = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: checkIntervalMs,
    // Node's own answer to a missing Host has no body and no request id, so `createApi` checks it.
    requireHostHeader: false,
  };
  const server = tls
    ? createTlsServer(tls, { ...options, handshakeTimeout: headersTimeoutMs }, answerInTurn)
    : surviveSocketErrors(createServer(options, answerInTurn));
  if (connections) limitConnections(server, connections, proxies);
  server.timeout = stalledTimeoutMs;
  // By default Node silently drops headers beyond a number, perhaps an Authorization. Their total size is limited
  // instead.
  server.maxHeadersCount = 0;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (Number(request.headers['content-length'] ?? 0) <= BODY_LIMIT_BYTES) response.writeContinue();
    answerInTurn(request, response);
  });
  server.on('checkExpectation', answerInTurn);
  server.on('connect', (_request, socket) => refuse(host, 'request.malformed', socket));
  server.on('clientError', (error, socket) => refuseBrokenHttp(host, error, socket));
  return server;
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'request.headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
};

/** How long writing a refusal may take. */
const REFUSAL_PATIENCE_MS = 1_000;

/**
 * Answers what Node's parser refuses before it becomes a request: broken framing, headers beyond the limit, requests
 * that do not arrive in time. The answer is written to the socket itself.
 */
function refuseBrokenHttp(host: Host, error: NodeJS.ErrnoException, socket: Duplex): void {
  // When the body breaks, the answer to its head may have begun already: then only close the connection.
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
  // A TLS connection that the client has reset may never report that the write failed.
  const patience = setTimeout(hangUp, REFUSAL_PATIENCE_MS);
  socket.once('close', () => clearTimeout(patience));
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, hangUp);
  host.observe?.({
    api: host.name,
    route: '',
    method: '',
    status,
    ms: 0,
    requestId,
    operation: '',
    code,
    paymentId: undefined,
    keyId: undefined,
    traceparent: undefined,
  });
}
