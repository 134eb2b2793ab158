/**
 * `contract` serves the published OpenAPI documents and answers like a FastAPI service with the same models. Routing,
 * reading and validation are derived from the document, and an operation only sees validated input. It knows nothing of
 * payments; `web3/` and `backend/` give it their operations.
 *
 * It stands on `node:http` directly. Frameworks normalise paths, refuse content types and add headers, unlike the
 * recorded answers of the reference.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { PayError } from '../../core/errors.ts';
import { findAddress } from '../connections/findAddress.ts';
import type { ConnectionLimits } from '../connections/limitConnections.ts';
import { createPages } from '../reference/createPages.ts';
import type { Reference } from '../reference/describeServed.ts';
import type { Page } from '../reference/page.ts';
import { type BrowserRules, createGuard, hasOneHost } from './createGuard.ts';
import { createHttpServer, type Limits } from './createHttpServer.ts';
import { createRouter } from './createRouter.ts';
import { createTarget, type ErrorLog, sendFailure, type Target, type TargetOptions } from './createTarget.ts';
import type { TlsSource } from './createTlsServer.ts';
import {
  type Exchange,
  type Host,
  type KeptCall,
  openExchange,
  SECURITY_HEADERS,
  type Seen,
  send,
  sendJson,
  sendProblem,
  TLS_HEADERS,
} from './exchange.ts';
import { type ListenAt, listen } from './listen.ts';
import type { Operation, Visit } from './operation.ts';

/** An answer of the app on the same origin (`site`): a page, a file or a redirect. */
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
  visit: Visit,
) => { readonly route: string; readonly page: SitePage | Promise<SitePage> } | undefined;

export interface Api {
  /** Resolves with the URL. */
  listen(at: ListenAt): Promise<string>;
  /** Stops listening, closes idle connections, and resolves when every request has been answered. */
  close(): Promise<void>;
}

export interface ApiOptions extends TargetOptions {
  /** Short, for metrics and logs: `web3`, `backend`. */
  readonly name: string;
  /** By operation id. */
  readonly operations: Readonly<Record<string, Operation>>;
  /** Mounts only the given operations; otherwise a missing one is an error at start. */
  readonly partial?: boolean;
  /** Counts every request, including pages and unknown paths; throws if there were too many. */
  readonly admit?: (visit: Visit) => Promise<void> | undefined;
  readonly observe?: (seen: Seen) => void;
  /** Only in the sandbox. */
  readonly keep?: ((call: KeptCall) => void) | undefined;
  /** The host names and sites that browsers may use; any if absent. */
  readonly browsers?: BrowserRules;
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly proxies?: BlockList;
  /** If set, the API uses TLS itself; otherwise plain HTTP, to this machine or to a proxy that terminates TLS. */
  readonly tls?: TlsSource | undefined;
  /** Adds Strict-Transport-Security to the answers. */
  readonly behindTls?: boolean;
  /** The facts that the API's documentation pages show. */
  readonly reference?: Reference;
  /** An app on the same origin. It is asked before the API, which then serves no pages itself. */
  readonly site?: Site;
  readonly limits?: Partial<Limits>;
  /** The maximum number of connections; unlimited if absent. */
  readonly connections?: ConnectionLimits;
}

/** Escaped slashes and control characters, which a proxy's path rules may interpret differently. */
const HIDDEN = /%(?:2f|[01][\da-f]|7f)/i;

export function createApi(options: ApiOptions): Api {
  const headers = options.behindTls ? [...SECURITY_HEADERS, ...TLS_HEADERS] : SECURITY_HEADERS;
  const host: Host = { name: options.name, observe: options.observe, keep: options.keep, headers, closing: false };
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
    const found = site(exchange.request, path, query, exchange);
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
