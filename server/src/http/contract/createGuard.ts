/**
 * Refuses calls that other sites' pages make a browser send. The Host check refuses a page that points its own name at
 * our address (DNS rebinding), the Origin check a page of another site. Only listed sites get CORS. Programs send no
 * Origin and are not affected.
 */
import type { IncomingMessage } from 'node:http';
import { PayError } from '../../core/errors.ts';
import { type Exchange, send, sendProblem } from './exchange.ts';

export interface BrowserRules {
  /** Names, without ports. Empty: any, unless `loopback`. */
  readonly hosts: readonly string[];
  /** `https://wallet.example.com`: exact, with scheme and port. */
  readonly origins: readonly string[];
  /** The names of this machine, on any port, count as listed (the sandbox). */
  readonly loopback: boolean;
}

/** Returns true if the guard has answered the request itself. */
type GuardBrowser = (exchange: Exchange) => boolean;

export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const EXPOSED =
  'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, ETag, Idempotency-Replayed, Preference-Applied, Florin-Warning, Link, WWW-Authenticate';
const PREFLIGHT = [
  'Access-Control-Allow-Methods',
  'GET, POST, DELETE',
  'Access-Control-Allow-Headers',
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Prefer, traceparent, tracestate, X-Request-Id',
  'Access-Control-Max-Age',
  '600',
];

/**
 * Exactly one Host, or none in HTTP/1.0. If there are two Hosts, Node would keep the first, while a proxy in front of us may have
 * used the second.
 */
export function hasOneHost({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    // Compare the length first: it decides for nearly all names and costs nothing.
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersionMinor === 0);
}

export function createGuard(rules: BrowserRules): GuardBrowser {
  const hosts = new Set(rules.hosts.map((host) => host.toLowerCase()));
  const origins = new Set(rules.origins);
  const anyHost = hosts.size === 0 && !rules.loopback;
  /** The last Host that passed: nearly every request has the same one. */
  let lastGood: string | undefined;

  function isAllowedHost(host: string | undefined): boolean {
    if (anyHost || host === undefined || host === lastGood) return true;
    const name = host.replace(/:\d*$/, '').toLowerCase();
    if (!hosts.has(name) && !(rules.loopback && LOOPBACK.test(name))) return false;
    lastGood = host;
    return true;
  }

  function isAllowedOrigin(origin: string, host: string | undefined): boolean {
    if (origins.has(origin)) return true;
    const parts = /^https?:\/\/([^/]+)$/.exec(origin);
    if (!parts) return false;
    // Our own pages (the reference) call the host that they were loaded from. If any host name is accepted, a page
    // under any name could claim this.
    if (parts[1] === host && !anyHost) return true;
    return rules.loopback && LOOPBACK.test(parts[1]!.replace(/:\d*$/, ''));
  }

  return (exchange) => {
    const { host, origin } = exchange.request.headers;
    if (!isAllowedHost(host)) {
      sendProblem(exchange, new PayError('request.host'));
      return true;
    }
    if (origin === undefined) return false;
    const isOptions = exchange.request.method === 'OPTIONS';
    if (!isAllowedOrigin(origin, host)) {
      // A preflight from here gets the normal 405, which allows nothing.
      if (isOptions) return false;
      sendProblem(exchange, new PayError('request.origin'));
      return true;
    }
    exchange.answerHeaders.push('Access-Control-Allow-Origin', origin, 'Vary', 'Origin');
    if (isOptions && exchange.request.headers['access-control-request-method'] !== undefined) {
      send(exchange, { status: 204, body: '', headers: PREFLIGHT });
      return true;
    }
    exchange.answerHeaders.push('Access-Control-Expose-Headers', EXPOSED);
    return false;
  };
}
