/**
 * `adapters/supplied` fetches URLs that other parties chose: the key sets that discovery documents name, and the
 * receivers of webhooks (`openReceivers`). Such a URL could point into our own network, so every request goes through
 * this SSRF guard.
 */
import { lookup } from 'node:dns/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as openRequest } from 'node:https';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { isPublicAddress } from './isPublicAddress.ts';

/** The URL, its address or its redirect is not allowed. */
export class UrlRefused extends Error {
  override readonly name = 'UrlRefused';
}

export interface SuppliedRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** For the whole request: DNS, connection, handshake, answer. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly ports?: readonly number[];
  readonly signal?: AbortSignal;
  readonly reach?: Reach;
}

interface SuppliedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The two uses of the network, which tests replace. */
export interface Reach {
  resolve(name: string): Promise<readonly string[]>;
  /** Opens a socket to exactly this address, with a certificate for `name`. It is not connected yet. */
  connect(address: string, port: number, name: string): TLSSocket;
}

const internet: Reach = {
  resolve: async (name) => (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address),
  connect: (address, port, name) =>
    connect({
      host: address,
      port,
      // SNI is only for names. A certificate for an address is checked against `host`.
      ...(isIP(name) === 0 && { servername: name }),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
    }),
};

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const PORTS: readonly number[] = [443];

/** Throws `UrlRefused` when the URL is not allowed, and other errors when the request fails. */
export async function fetchSupplied(text: string, request: SuppliedRequest = {}): Promise<SuppliedAnswer> {
  const { timeoutMs = TIMEOUT_MS, ports = PORTS, reach = internet } = request;
  const url = parseSuppliedUrl(text, ports);
  const { signal, clear } = startDeadline(timeoutMs, request.signal);
  let socket: TLSSocket | undefined;
  try {
    socket = await connectToOne(url, await findAddresses(url, reach, signal), reach, signal);
    return await exchange(url, socket, request, signal);
  } finally {
    clear();
    socket?.destroy();
  }
}

/**
 * Not `AbortSignal.any` with a time-out: such a signal may be garbage-collected before it fires (nodejs/node#57736).
 */
function startDeadline(timeoutMs: number, outer?: AbortSignal): { signal: AbortSignal; clear(): void } {
  const end = new AbortController();
  const giveUp = () => end.abort(outer?.reason);
  const timer = setTimeout(() => end.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  outer?.addEventListener('abort', giveUp);
  if (outer?.aborted) giveUp();
  return {
    signal: end.signal,
    clear() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', giveUp);
    },
  };
}

export function parseSuppliedUrl(text: string, ports: readonly number[]): URL {
  if (!URL.canParse(text)) throw new UrlRefused('it is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:') throw new UrlRefused('it is not https');
  if (url.username !== '' || url.password !== '') throw new UrlRefused('it holds credentials');
  if (!ports.includes(portOf(url))) throw new UrlRefused(`port ${portOf(url)} is not one that we ask at`);
  return url;
}

const portOf = ({ port }: URL): number => (port === '' ? 443 : Number(port));
/** `URL` has already normalised the many ways to write an IPv4 address. */
export const nameOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * Resolves the name once, so that we connect to the address that was checked. All addresses must be public: a name with
 * one public and one private address is probably an attack.
 */
async function findAddresses(url: URL, reach: Reach, signal: AbortSignal): Promise<readonly string[]> {
  const name = nameOf(url);
  const addresses = isIP(name) === 0 ? await orAborted(reach.resolve(name), signal) : [name];
  if (addresses.length === 0) throw new UrlRefused('its name has no address');
  if (!addresses.every(isPublicAddress)) throw new UrlRefused('its name leads to an address that is not public');
  return addresses;
}

async function connectToOne(url: URL, addresses: readonly string[], reach: Reach, signal: AbortSignal) {
  let fault: unknown;
  for (const address of addresses) {
    const socket = reach.connect(address, portOf(url), nameOf(url));
    try {
      await orAborted(
        new Promise<void>((done, fail) => socket.once('secureConnect', done).once('error', fail)),
        signal,
      );
      return socket;
    } catch (error) {
      socket.destroy();
      signal.throwIfAborted();
      fault = error;
    }
  }
  throw fault;
}

async function exchange(
  url: URL,
  socket: TLSSocket,
  { method = 'GET', headers = {}, body, maxBytes = MAX_BYTES }: SuppliedRequest,
  signal: AbortSignal,
): Promise<SuppliedAnswer> {
  const response = await new Promise<IncomingMessage>((done, fail) => {
    const sent = openRequest(
      url,
      // Without an agent, Node assumes port 80 and would write `:443` into Host.
      { method, headers: { ...headers, host: url.host }, signal, createConnection: () => socket },
      done,
    );
    sent.on('error', fail);
    sent.end(body);
  });
  const { statusCode: status = 0 } = response;
  if (status >= 300 && status < 400) throw new UrlRefused('it redirects');
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return { status, headers: response.headers, body: Buffer.concat(parts) };
}

/** A DNS lookup cannot be cancelled, so we only stop waiting for it. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, fail) => {
    stop = () => fail(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
