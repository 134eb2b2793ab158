/**
 * A recorder between a client and a server: it forwards everything, and keeps what the client sent, field by field in
 * order. The requests of our own adapter can then be compared with those of the official SDK.
 */
import { createServer, type IncomingMessage, request } from 'node:http';
import { listen } from '../http/listen.ts';

export interface RecordedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: readonly Field[];
  /** Undefined: no body. */
  readonly body?: readonly Field[];
}

type Field = readonly [name: string, value: unknown];

interface Recorder {
  /** The URL that the client uses instead of the server's. */
  readonly url: string;
  /** As they came. */
  readonly requests: readonly RecordedRequest[];
  stop(): Promise<void>;
}

export async function recordRequests(target: string): Promise<Recorder> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const body = await readBody(incoming);
    requests.push(describe(incoming, body));
    const { host: _, ...headers } = incoming.headers;
    const passed = request(target + incoming.url, { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    // The server broke the connection: the client sees the same.
    passed.on('error', () => response.destroy());
    passed.end(body);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Headers that belong to the connection and not to the request. */
const OF_THE_CONNECTION = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'];

function describe({ method, url, rawHeaders }: IncomingMessage, body: Buffer): RecordedRequest {
  const headers = rawHeaders
    .flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1]!] as const] : []))
    .filter(([name]) => !OF_THE_CONNECTION.includes(name));
  const given = body.length === 0 ? {} : { body: Object.entries(JSON.parse(body.toString('utf8')) as object) };
  return { method: method!, path: url!, headers, ...given };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

/** Replaces values that differ in every run (ids, keys, addresses, ciphertexts) by placeholders. */
export function normalizeRequest(recorded: RecordedRequest): RecordedRequest {
  return JSON.parse(
    JSON.stringify(recorded)
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
      .replace(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g, '<address>')
      .replace(/0x[0-9a-fA-F]{64}(?![0-9a-fA-F])/g, '<32 bytes>')
      .replace(/"entitySecretCiphertext","[A-Za-z0-9+/]+={0,2}"/g, '"entitySecretCiphertext","<ciphertext>"')
      .replace(/"Bearer [^"]+"/g, '"Bearer <API key>"')
      .replace(/"http:\/\/127\.0\.0\.1:\d+/g, '"<server>'),
  ) as RecordedRequest;
}
