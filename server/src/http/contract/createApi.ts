/**
 * `contract` serves the published OpenAPI documents and answers like a FastAPI service with the same models. Routing,
 * reading and validation are derived from the document, and an operation only sees validated input. It knows nothing of
 * payments; `web3/` and `backend/` give it their operations.
 *
 * It stands on `node:http` directly. Frameworks normalise paths, refuse content types and add headers, unlike the
 * recorded answers of the reference.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import type { Logger } from 'pino';
import { type ErrorCode, PayError } from '../../core/errors.ts';
import { findAddress } from '../connections/findAddress.ts';
import type { ConnectionLimits } from '../connections/limitConnections.ts';
import { sendPieces } from '../connections/sendPieces.ts';
import { createPages } from '../reference/createPages.ts';
import type { Reference } from '../reference/describeServed.ts';
import type { Page } from '../reference/page.ts';
import { compileOperation, UNREADABLE } from './compileOperation.ts';
import { type BrowserRules, createGuard, hasOneHost } from './createGuard.ts';
import { createHttpServer, type Limits } from './createHttpServer.ts';
import { createRouter } from './createRouter.ts';
import type { TlsSource } from './createTlsServer.ts';
import {
  type Exchange,
  type Host,
  openExchange,
  SECURITY_HEADERS,
  type Seen,
  seeHungUp,
  send,
  sendJson,
  sendProblem,
  TLS_HEADERS,
} from './exchange.ts';
import { findCertificate } from './findCertificate.ts';
import type { ItemShape } from './issue.ts';
import type { JsonValue } from './json.ts';
import { type ListenAt, listen } from './listen.ts';
import type { OpenApiDocument, OperationObject } from './openapi.ts';
import { findUuid } from './parseUuid.ts';
import { CLIENT_GONE, readBody } from './readBody.ts';

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

/** What is known about a request before it is routed. */
export interface Visit {
  /** The client's IPv4 address or IPv6 network; see `findAddress`. */
  readonly address: string;
  /** Headers that are added to every answer, including errors. Name, value, name, value. */
  readonly answerHeaders: string[];
}

/** What is known before the body is read. */
export interface IncomingCall
  extends Visit,
    Pick<ApiCall, 'headers' | 'requestId' | 'operationId' | 'route' | 'certificate'> {}

/** The caller, or a promise of it: only a call that has to wait pays for waiting. */
export type Authorize = (call: IncomingCall) => unknown;

/** An answer of a site beside the API: a page, a file or a redirect. */
export interface SitePage extends Page {
  /** Default: 200. */
  readonly status?: number;
}

/**
 * Undefined: the site has nothing there. `route` is for logs, and contains no part of the path that could be secret.
 */
export type Site = (
  request: IncomingMessage,
  path: string,
  query: string,
) => { readonly route: string; readonly page: SitePage | Promise<SitePage> } | undefined;

type ErrorLog = Pick<Logger, 'error'>;

export interface Api {
  /** Resolves with the URL. */
  listen(at: ListenAt): Promise<string>;
  /** Stops listening, closes idle connections, and resolves when every request has been answered. */
  close(): Promise<void>;
}

export interface ApiOptions {
  /** Short, for metrics and logs: `web3`, `backend`. */
  readonly name: string;
  /** The parsed OpenAPI document: the single source of routes and validation. */
  readonly document: OpenApiDocument;
  /** By operation id. */
  readonly operations: Readonly<Record<string, Operation>>;
  /** Mounts only the given operations; otherwise a missing one is an error at start. */
  readonly partial?: boolean;
  readonly items: ItemShape;
  /** Counts every request, including pages and unknown paths; throws if there were too many. */
  readonly admit?: (visit: Visit) => Promise<void> | undefined;
  /** Runs before the body is read; an error it throws is answered. */
  readonly authorize?: Authorize;
  /** The service key of a caller, for the log. */
  readonly findKeyId?: (caller: unknown) => string | undefined;
  readonly observe?: (seen: Seen) => void;
  /** The host names and sites that browsers may use; any if absent. */
  readonly browsers?: BrowserRules;
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly proxies?: BlockList;
  /** If set, the API uses TLS itself; otherwise plain HTTP, to this machine or to a proxy that terminates TLS. */
  readonly tls?: TlsSource | undefined;
  /** Adds Strict-Transport-Security to the answers. */
  readonly behindTls?: boolean;
  /** What the pages about the API show. */
  readonly reference?: Reference;
  /** An app on the same origin. It is asked before the API, which then serves no pages itself. */
  readonly site?: Site;
  readonly logger: ErrorLog | false;
  readonly limits?: Partial<Limits>;
  /** The maximum number of connections; unlimited if absent. */
  readonly connections?: ConnectionLimits;
}

/** Escaped slashes and control characters, which a proxy's path rules may interpret differently. */
const HIDDEN = /%(?:2f|[01][\da-f]|7f)/i;

type Target = (exchange: Exchange, params: Readonly<Record<string, string>>, query: string) => void | Promise<void>;

export function createApi(options: ApiOptions): Api {
  const headers = options.behindTls ? [...SECURITY_HEADERS, ...TLS_HEADERS] : SECURITY_HEADERS;
  const host: Host = { name: options.name, observe: options.observe, headers, closing: false };
  const guard = options.browsers && createGuard(options.browsers);
  const pages = options.site ? [] : pageTargets(options);
  const router = createRouter<Target>([...operationTargets(options), ...pages.filter(({ accepts }) => !accepts)]);
  const fronts = pages.filter(({ accepts }) => accepts);

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const exchange = openExchange(host, request, response, findAddress(request, options.proxies));
    if (!hasOneHost(request)) {
      sendProblem(exchange, new PayError('request.malformed'));
      return;
    }
    const admission = options.admit && askAdmission(exchange, options);
    // Before a refusal is sent, so that pages of allowed sites can read it.
    if (guard?.(exchange)) return;
    if (admission) void admission.then(() => route(exchange));
    else route(exchange);
  }

  function route(exchange: Exchange): void {
    const { request, refusal } = exchange;
    if (refusal instanceof PayError && refusal.code === 'rate.limited') {
      sendProblem(exchange, refusal);
      return;
    }
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const query = mark === -1 ? '' : url.slice(mark + 1);
    if (options.site && visitSite(options.site, exchange, path, query, options.logger)) return;
    const match = router.find(path);
    if (!match) {
      const { method, headers } = request;
      const front = fronts.find((one) => one.template === path && one.method === method);
      if (front?.accepts?.test(headers.accept ?? '')) {
        exchange.route = path;
        void front.target(exchange, {}, query);
        return;
      }
      const location = router.findRedirect(path, query);
      if (location === undefined) sendJson(exchange, 404, '{"detail":"Not Found"}');
      else send(exchange, { status: 307, body: '', headers: ['Location', location] });
      return;
    }
    exchange.route = match.route.template;
    exchange.isPlainPath = !path.includes('%') || !HIDDEN.test(path);
    const target = match.route.targets.get(request.method ?? '');
    if (target) void target(exchange, match.params, query);
    else sendJson(exchange, 405, '{"detail":"Method Not Allowed"}', ['Allow', match.route.allow]);
  }

  const server = createHttpServer(host, answer, options);
  return {
    listen: (at) => listen(server, at),
    close() {
      host.closing = true;
      return new Promise((done) => {
        // The error says that the server was not listening.
        server.close(() => done());
      });
    },
  };
}

/** True if the site answers. */
function visitSite(site: Site, exchange: Exchange, path: string, query: string, logger: ErrorLog | false): boolean {
  const fail = (error: unknown) => sendFailure(exchange, error, logger);
  try {
    const found = site(exchange.request, path, query);
    if (!found) return false;
    exchange.route = found.route;
    Promise.resolve(found.page).then((page) => send(exchange, { status: 200, ...page }), fail);
  } catch (error) {
    fail(error);
  }
  return true;
}

/**
 * Resolves when the request is counted; undefined if that was done synchronously. A refusal is kept in the exchange. If
 * the database is unavailable, calls are refused, and pages, which need no database, are shown.
 */
function askAdmission(exchange: Exchange, { admit }: ApiOptions): Promise<void> | undefined {
  try {
    return admit!(exchange)?.catch((error: unknown) => {
      exchange.refusal = error;
    });
  } catch (error) {
    exchange.refusal = error;
    return undefined;
  }
}

interface Mounted {
  readonly template: string;
  readonly method: string;
  readonly target: Target;
  /** See `PageRoute`. */
  readonly accepts?: RegExp | undefined;
}

function operationTargets(options: ApiOptions): Mounted[] {
  const unknown = new Set(Object.keys(options.operations));
  const mounted: Mounted[] = [];
  for (const [template, methods] of Object.entries(options.document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const run = options.operations[operation.operationId];
      if (!run && !options.partial) throw new TypeError(`operation ${operation.operationId} has no handler`);
      if (!unknown.delete(operation.operationId) || !run) continue;
      mounted.push({ template, method: method.toUpperCase(), target: createTarget(options, operation, run) });
    }
  }
  if (unknown.size > 0) throw new TypeError(`not in the document: ${[...unknown].join(', ')}`);
  return mounted;
}

function pageTargets({ document, name, reference, logger }: ApiOptions): Mounted[] {
  return createPages(document, name, reference).flatMap(({ template, find, accepts }) => {
    const target: Target = async (exchange, params) => {
      try {
        if (!exchange.isPlainPath) throw new PayError('request.malformed');
        const page = await find(params, exchange.request);
        if (page) send(exchange, { status: 200, ...page });
        else sendJson(exchange, 404, '{"detail":"Not Found"}');
      } catch (error) {
        sendFailure(exchange, error, logger);
      }
    };
    return ['GET', 'HEAD'].map((method) => ({ template, method, target, accepts }));
  });
}

/** Handles one call: authorize, read, validate, run, answer. */
function createTarget(
  { document, items, authorize, findKeyId, logger }: ApiOptions,
  operation: OperationObject,
  run: Operation,
): Target {
  const { operationId } = operation;
  const { readsBody, bodyLimitBytes, validate } = compileOperation(document, operation, items);

  return async (exchange, rawParams, rawQuery) => {
    const { request, requestId, route, address, answerHeaders } = exchange;
    const { headers } = request;
    const certificate = findCertificate(request.socket);
    exchange.operation = operationId;
    try {
      if (exchange.refusal) throw exchange.refusal;
      const found = authorize?.({
        headers,
        requestId,
        operationId,
        route,
        address,
        answerHeaders,
        certificate,
      });
      const caller = found instanceof Promise ? await found : found;
      if (findKeyId) exchange.keyId = findKeyId(caller);
      const bodyBytes = readsBody ? await readBody(request, bodyLimitBytes) : undefined;
      const outcome = validate(rawParams, rawQuery, bodyBytes, headers['content-type']);
      if (outcome === UNREADABLE) sendJson(exchange, 400, '{"detail":"There was an error parsing the body"}');
      else if (Array.isArray(outcome)) sendJson(exchange, 422, `{"detail":[${outcome.join(',')}]}`);
      else {
        // Only now: the document's checks of a request come first, as in the reference.
        if (!exchange.isPlainPath) throw new PayError('request.malformed');
        const { params, query, body } = outcome;
        const answer = await run({
          params,
          query,
          body,
          bodyBytes,
          headers,
          requestId,
          operationId,
          route,
          caller,
          connection: request.socket,
          certificate,
          address,
          answerHeaders,
        });
        exchange.paymentId = answer.paymentId ?? (params.transaction_id && findUuid(params.transaction_id));
        const sending = sendAnswer(exchange, answer);
        if (sending) await sending;
      }
    } catch (error) {
      sendFailure(exchange, error, logger);
    }
  };
}

/** A `PayError` becomes the answer. Any other error is logged, and the caller only gets `internal.error`. */
function sendFailure(exchange: Exchange, error: unknown, logger: ErrorLog | false): void {
  if (error === CLIENT_GONE) {
    seeHungUp(exchange);
    return;
  }
  if (error instanceof PayError) {
    sendProblem(exchange, error);
    return;
  }
  if (logger) logger.error({ err: error, request_id: exchange.requestId, route: exchange.route }, 'call failed');
  sendProblem(exchange, new PayError('internal.error', {}, { cause: error }));
}

function sendAnswer(exchange: Exchange, answer: ApiAnswer): Promise<void> | undefined {
  const { status = 200, body, pieces, headers, contentType, isAscii, code } = answer;
  const lines = headers && Object.entries(headers).flat();
  if (pieces) {
    return sendPieces(exchange, { contentType: contentType ?? 'application/json', pieces, headers: lines });
  }
  const text = contentType === undefined ? JSON.stringify(body) : Buffer.isBuffer(body) ? body : String(body);
  send(exchange, { status, contentType: contentType ?? 'application/json', body: text, headers: lines, isAscii, code });
  return undefined;
}
