import { type LookupAddress, type LookupAllOptions, lookup as lookUpName } from 'node:dns';
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { nameOf, parseSuppliedUrl, UrlRefused } from './fetchSupplied.ts';
import { isPublicAddress } from './isPublicAddress.ts';

interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface PostAnswer {
  readonly status: number;
  /** The first characters of the body, if they arrived soon after the status. */
  readonly text: string;
  /** The receiver's Retry-After, given in seconds or as a date. */
  readonly retryAfterSeconds: number | undefined;
}

export interface Receivers {
  /**
   * Sends one POST. Throws `UrlRefused` when the URL, its address or a redirect is not allowed, and other errors when
   * no status arrived in time.
   */
  post(asked: Post): Promise<PostAnswer>;
  close(): void;
}

interface ReceiversOptions {
  /** In the sandbox, receivers may run on this machine, without TLS and on any port. */
  readonly allowsLoopback: boolean;
  /** From the start to the status. */
  readonly timeoutMs?: number;
  /** DNS lookup, which tests replace. */
  readonly lookUp?: LookUp;
}

type LookUp = (
  name: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

const TIMEOUT_MS = 15_000;
/** How long to wait for the rest of an answer. Only its status matters. */
const REST_MS = 1_000;
const MAX_BYTES = 2_048;
const MAX_IDLE = 64;
const IDLE_MS = 10_000;
const RECEIVER_PORTS: readonly number[] = [443, 8443];

/**
 * Posts to URLs that other parties chose, with the guard of `fetchSupplied` but over kept-alive connections, because
 * thousands of calls may go to one receiver. Each new connection resolves the name again and connects to exactly the
 * addresses that were checked.
 */
export function openReceivers(options: ReceiversOptions): Receivers {
  const { allowsLoopback, timeoutMs = TIMEOUT_MS, lookUp = lookUpName } = options;
  const isAllowed = (address: string) => isPublicAddress(address) || (allowsLoopback && isLoopback(address));
  const lookup: LookupFunction = (name, options, callback) => {
    lookUp(name, { all: true, verbatim: true }, (error, found) => {
      if (error) callback(error, '', 0);
      else if (found.length === 0 || !found.every(({ address }) => isAllowed(address))) callback(refused(), '', 0);
      else if (options.all) callback(null, found);
      else callback(null, found[0]!.address, found[0]!.family);
    });
  };
  const settings = { keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS, lookup };
  let isClosed = false;
  const agents = { http: new HttpAgent(settings), https: new HttpsAgent({ ...settings, minVersion: 'TLSv1.2' }) };

  return {
    async post({ url: text, headers, body }) {
      const url = parseReceiverUrl(text, allowsLoopback);
      const isTls = url.protocol === 'https:';
      const options = {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        agent: isTls ? agents.https : agents.http,
      };
      const open = () => (isTls ? requestHttps(url, options) : requestHttp(url, options));
      const answer = await statusOf(open, body, timeoutMs, () => !isClosed);
      const { statusCode: status = 0, headers: responseHeaders } = answer;
      if (status >= 300 && status < 400) {
        answer.destroy();
        throw new UrlRefused(`it redirects (${status})`);
      }
      return {
        status,
        text: await readStart(answer),
        retryAfterSeconds: parseRetryAfter(responseHeaders['retry-after'], responseHeaders.date),
      };
    },
    close() {
      isClosed = true;
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

const DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** RFC 9110, 10.2.3. A date is compared with the receiver's own clock, if its answer has one. */
function parseRetryAfter(text = '', date = ''): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (!DATE.test(text)) return undefined;
  const now = DATE.test(date) ? Date.parse(date) : Date.now();
  const seconds = Math.ceil((Date.parse(text) - now) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

const refused = () => new UrlRefused('its name leads to an address that is not public');

/**
 * Returns a URL that may receive events, or throws `UrlRefused`. A name is resolved and checked when we connect. A
 * literal address is never resolved, so it is checked here.
 */
export function parseReceiverUrl(text: string, allowsLoopback: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    allowsLoopback &&
    url &&
    /^https?:$/.test(url.protocol) &&
    (url.hostname === 'localhost' || isLoopback(nameOf(url)))
  )
    return url;
  const supplied = parseSuppliedUrl(text, RECEIVER_PORTS);
  const name = nameOf(supplied);
  const isInside = isIP(name) === 0 ? /(^|\.)localhost\.?$/.test(name) : !isPublicAddress(name);
  if (isInside) throw refused();
  return supplied;
}

const isLoopback = (address: string): boolean =>
  address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));

/** The receiver may close an idle connection just when we reuse it. The call is then repeated on a new connection. */
async function statusOf(
  open: () => ClientRequest,
  body: string,
  timeoutMs: number,
  mayRepeat: () => boolean,
): Promise<IncomingMessage> {
  const first = open();
  try {
    return await exchange(first, body, timeoutMs);
  } catch (error) {
    const isStale = first.reusedSocket && (error as { code?: string }).code === 'ECONNRESET';
    if (!isStale || !mayRepeat()) throw error;
    return exchange(open(), body, timeoutMs);
  }
}

function exchange(sent: ClientRequest, body: string, timeoutMs: number): Promise<IncomingMessage> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    sent.once('response', (answer) => {
      clearTimeout(timer);
      done(answer);
    });
    // Needed even after the answer has begun: a connection that breaks later must not end the process.
    sent.on('error', (error) => {
      clearTimeout(timer);
      fail(error);
    });
    sent.end(body);
  });
}

/**
 * The status has arrived, whatever happens to the rest. Only an answer that ends by itself leaves its connection open.
 */
function readStart(answer: IncomingMessage): Promise<string> {
  return new Promise((done) => {
    const parts: Buffer[] = [];
    let size = 0;
    const finish = () => {
      clearTimeout(timer);
      done(Buffer.concat(parts).subarray(0, MAX_BYTES).toString('utf8'));
    };
    const cut = () => {
      answer.destroy();
      finish();
    };
    const timer = setTimeout(cut, REST_MS);
    answer.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > MAX_BYTES) cut();
    });
    answer.on('end', finish).on('error', finish).on('close', finish);
  });
}
