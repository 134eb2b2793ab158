/** Clients that break their connection at a bad moment, by a TCP reset unless their kind says otherwise. */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { raw, statusOf } from './raw.ts';

/** One listening port. */
export interface Target {
  readonly name: string;
  readonly url: string;
  /** If given, the port speaks TLS with a certificate of this authority. */
  readonly authority?: string;
  /** The address of this machine that the connections come from. */
  readonly from?: string;
  /** A GET that is answered with 200. */
  readonly goodPath: string;
  /** A GET with a large answer, if there is one. */
  readonly largePath: string;
  /** A POST that reads its body, if there is one. */
  readonly postPath: string;
  /** The credential with which the server reads the body of the POST. */
  readonly authorization?: string;
}

interface BrokenKind {
  readonly kind: string;
  readonly send: (target: Target) => string | Buffer;
  /** Sent over plain TCP, even if the port expects TLS. */
  readonly isBare?: true;
  /** The server always answers it, even on a slow machine, and the client waits for the answer. */
  readonly isAnswered?: true;
  /** Signals the end of its data (FIN) before it resets. */
  readonly finishes?: true;
}

const head = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
export const credentialsOf = ({ authorization }: Target): string[] =>
  authorization === undefined ? [] : [`Authorization: ${authorization}`];
const post = (target: Target, ...headers: string[]) =>
  head(`POST ${target.postPath}`, 'Content-Type: application/json', ...credentialsOf(target), ...headers);
const upgrade = (target: Target, protocol: string) =>
  head(`GET ${target.goodPath}`, 'Connection: Upgrade', `Upgrade: ${protocol}`);

/** The beginning of a ClientHello of 512 bytes, the rest of which never comes. */
const cutHello = Buffer.concat([Buffer.from('1603010200010001fc0303', 'hex'), randomBytes(100)]);

export const BROKEN_KINDS: readonly BrokenKind[] = [
  { kind: 'CONNECT', send: () => 'CONNECT a:1 HTTP/1.1\r\n\r\n' },
  { kind: 'CONNECT with bytes for the tunnel', send: () => head('CONNECT a:1') + 'x'.repeat(10_000) },
  { kind: 'CONNECT after a good request', send: ({ goodPath }) => head(`GET ${goodPath}`) + head('CONNECT a:1') },
  { kind: 'Upgrade to WebSocket', send: (target) => upgrade(target, 'websocket') + 'x'.repeat(10_000) },
  { kind: 'Upgrade to HTTP/2', send: (target) => upgrade(target, 'h2c') },
  { kind: 'a path that is not a URL', send: () => head('GET //') },
  { kind: 'HTTP/2 without an upgrade', send: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  { kind: 'nothing sent', send: () => '' },
  { kind: 'half a head', send: ({ goodPath }) => head(`GET ${goodPath}`, 'X-Half: ').slice(0, -4) },
  { kind: 'a head beyond the limit', send: ({ goodPath }) => head(`GET ${goodPath}`, `X: ${'a'.repeat(40_000)}`) },
  { kind: 'half a body', send: (target) => `${post(target, 'Content-Length: 1000')}{"id_` },
  { kind: 'half a chunk', send: (target) => `${post(target, 'Transfer-Encoding: chunked')}ff\r\n{"id_` },
  { kind: 'a bad chunk', send: (target) => `${post(target, 'Transfer-Encoding: chunked')}zz\r\n` },
  { kind: 'a whole body', send: (target) => `${post(target, 'Content-Length: 15')}{"id_token":""}`, isAnswered: true },
  {
    kind: 'a body beyond the limit',
    send: (target) => post(target, 'Content-Length: 400000') + 'x'.repeat(400_000),
    isAnswered: true,
  },
  { kind: 'Expect: 100-continue', send: (target) => post(target, 'Content-Length: 15', 'Expect: 100-continue') },
  { kind: 'an unknown Expect', send: ({ goodPath }) => head(`GET ${goodPath}`, 'Expect: miracles') },
  { kind: 'a large answer', send: ({ largePath }) => head(`GET ${largePath}`) },
  { kind: 'pipelined requests', send: ({ goodPath }) => head(`GET ${goodPath}`).repeat(20) },
  { kind: 'a finished client', send: ({ largePath }) => head(`GET ${largePath}`).repeat(3), finishes: true },
  { kind: 'a finished client with half a head', send: () => 'GET / HT', finishes: true },
  { kind: 'two Hosts', send: ({ goodPath }) => head(`GET ${goodPath}`, 'Host: evil.example') },
  { kind: 'a thousand requests in one packet', send: ({ largePath }) => head(`GET ${largePath}`).repeat(1_000) },
  { kind: 'garbage', send: () => randomBytes(2_000) },
  { kind: 'garbage below TLS', send: () => randomBytes(2_000), isBare: true },
  { kind: 'plain HTTP below TLS', send: ({ goodPath }) => head(`GET ${goodPath}`), isBare: true },
  { kind: 'a truncated TLS hello', send: () => cutHello, isBare: true },
  { kind: 'half a record after a TLS hello', send: () => Buffer.concat([cutHello, cutHello, cutHello]), isBare: true },
];

/** When the connection breaks after sending. The connections of a burst alternate between these moments. */
const MOMENTS = ['handshake', 'immediately', 'soon', 'at the first answer'] as const;
const SOON_MS = 3;
/** For clients that wait for an answer that does not come. */
const PATIENCE_MS = 60;
const ANSWER_PATIENCE_MS = 5_000;
/**
 * For clients that the server never lets speak: the other side of a closed connection does not close by itself here.
 */
const HANDSHAKE_PATIENCE_MS = 5_000;

/** Opens `burst` concurrent connections, alternating between these kinds; resolves when all are closed. */
export async function breakConnections(target: Target, kinds: readonly BrokenKind[], burst: number): Promise<void> {
  const breakNth = (n: number) => breakOne(target, kinds[n % kinds.length]!, MOMENTS[n % MOMENTS.length]!);
  await Promise.all(Array.from({ length: burst }, (_, n) => breakNth(n)));
}

function breakOne(target: Target, kind: BrokenKind, moment: (typeof MOMENTS)[number]): Promise<void> {
  const { hostname: host, port } = new URL(target.url);
  return new Promise((resolve) => {
    const tcp = connect({
      port: Number(port),
      host,
      allowHalfOpen: true,
      ...(target.from !== undefined && { localAddress: target.from }),
    });
    // Node cannot reset after a FIN; the kernel does, because the answer was not read.
    const reset = () => (kind.finishes && line.writableEnded ? tcp.destroy() : tcp.resetAndDestroy());
    const breakAfter = (ms: number) => setTimeout(reset, ms);
    // Destroys the socket instead of resetting it: a reset would wait for the connection.
    const giveUp = setTimeout(() => tcp.destroy(), HANDSHAKE_PATIENCE_MS);
    tcp.on('close', () => {
      clearTimeout(giveUp);
      resolve();
    });
    tcp.on('error', () => {});
    const speak = () => {
      const text = kind.send(target);
      const sent = moment === 'immediately' ? reset : moment === 'soon' ? () => breakAfter(SOON_MS) : undefined;
      if (kind.finishes) line.end(text, sent);
      else line.write(text, sent);
      breakAfter(kind.isAnswered && moment === 'at the first answer' ? ANSWER_PATIENCE_MS : PATIENCE_MS);
    };
    const secure = target.authority !== undefined && !kind.isBare;
    const line: Socket = secure ? connectTls({ socket: tcp, host, ca: target.authority }, speak) : tcp;
    line.on('error', () => {});
    if (!secure) tcp.on('connect', speak);
    if (moment === 'handshake') tcp.on('connect', () => (secure ? setImmediate(reset) : reset()));
    if (moment === 'at the first answer') line.on('data', reset);
    else line.pause();
  });
}

/** The status of a valid request. */
export async function askWell({ url, authority, goodPath }: Target): Promise<string> {
  const request = head(`GET ${goodPath}`, 'Connection: close');
  return statusOf(await raw(url, request, authority).catch((error: Error) => `no answer: ${error.message}`));
}
