/** The port of the signer process: few calls, small requests, one token per kind of calling process. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { z } from 'zod';
import { isSameSecret } from '../../core/isSameSecret.ts';
import { MAX_CALL_BYTES, MAX_IDS_PER_CALL, SIGNER_CALLS, type Signer, type SignerCaller } from '../../core/signer.ts';
import { limitConnections } from '../connections/limitConnections.ts';
import { surviveSocketErrors } from '../connections/surviveSocketErrors.ts';

type Method = keyof typeof SIGNER_CALLS;

export interface SignerToken {
  readonly caller: SignerCaller;
  readonly token: string;
}

interface ServeOptions {
  readonly signer: Signer;
  /** One caller can have several tokens while they are rotated. */
  readonly tokens: readonly SignerToken[];
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly onFault: (error: unknown, about: string) => void;
}

const uuid = z.guid();
const ids = z.array(uuid).max(MAX_IDS_PER_CALL);
const whole = z
  .string()
  .regex(/^\d{1,40}$/)
  .transform(BigInt);

const name = z.string().regex(/^[A-Z0-9-]{2,32}$/);

/** The name of an adapter, or the id of a key. */
const word = z.string().regex(/^[\w.:-]{1,100}$/);

const moveOf = (body: unknown): string => z.strictObject({ moveId: uuid }).parse(body).moveId;

/** The arguments and the action of each call. */
const calls: Readonly<Record<Method, (signer: Signer, body: unknown) => Promise<unknown>>> = {
  check: (signer) => signer.check(),
  makeWallet: (signer, body) => signer.makeWallet(z.strictObject({ userId: uuid }).parse(body).userId),
  findRelayer: (signer, body) =>
    signer.findRelayer(z.strictObject({ number: z.int().min(0).max(15) }).parse(body).number),
  signAuthorizations(signer, body) {
    const { moveIds, validBefore } = z.strictObject({ moveIds: ids, validBefore: whole }).parse(body);
    return signer.signAuthorizations(moveIds, validBefore);
  },
  signCancellations: (signer, body) => signer.signCancellations(z.strictObject({ moveIds: ids }).parse(body).moveIds),
  signCarrier(signer, body) {
    const { carrierId, headNumber, ...bid } = z
      .strictObject({ carrierId: uuid, maxFeeWei: whole, priorityFeeWei: whole, headNumber: whole })
      .parse(body);
    return signer.signRelayTx(carrierId, bid, headNumber);
  },
  submitTransfer: ({ transfers }, body) => transfers.submit(moveOf(body)),
  findTransfer: ({ transfers }, body) => transfers.find(moveOf(body)),
  cancelTransfer: ({ transfers }, body) => transfers.cancel(moveOf(body)),
  accelerateTransfer: ({ transfers }, body) => transfers.accelerate(moveOf(body)),
  listArrivals(signer, body) {
    const { blockchain, since, after } = z
      .strictObject({ blockchain: name, since: z.iso.datetime(), after: uuid.optional() })
      .parse(body);
    return signer.listArrivals(blockchain, since, after);
  },
  findArrival(signer, body) {
    const { blockchain, providerId } = z.strictObject({ blockchain: name, providerId: uuid }).parse(body);
    return signer.findArrival(blockchain, providerId);
  },
  readBalance(signer, body) {
    const { blockchain, currency, walletId } = z
      .strictObject({ blockchain: name, currency: name, walletId: uuid })
      .parse(body);
    return signer.readBalance(blockchain, currency, walletId);
  },
  fetchWebhookKey(signer, body) {
    const { adapter, keyId } = z.strictObject({ adapter: word, keyId: word }).parse(body);
    return signer.fetchWebhookKey(adapter, keyId);
  },
};

const LIMITS = {
  requestTimeout: 5_000,
  headersTimeout: 3_000,
  keepAliveTimeout: 60_000,
  maxHeaderSize: 8_192,
  // By default, Node checks for slow requests only every half minute.
  connectionsCheckingInterval: 1_000,
};
const HANDSHAKE_MS = 5_000;
/**
 * A caller keeps at most 16 connections. Connections over a unix socket have no address; the mode of the socket file
 * controls access.
 */
const CONNECTIONS = { all: 256, address: 64 };

export function serveSigner(options: ServeOptions): Server {
  const tokens = options.tokens.map(({ caller, token }) => ({ caller, hash: sha256(token) }));
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    respond(options, tokens, request)
      .catch((error: unknown) => {
        options.onFault(error, 'a call to the signer failed');
        return { status: 503, body: { detail: 'the signer cannot answer now' } };
      })
      .then(({ status, body }) => {
        const text = JSON.stringify(body);
        // A request that was refused unread ends with its connection. So does the last one before shutdown: a caller
        // that keeps sending on the same connection would otherwise keep this process alive forever.
        const connection = request.complete && server.listening ? {} : { connection: 'close' };
        response.writeHead(status, { 'content-type': 'application/json', ...connection }).end(text);
      });
  };
  const server = options.tls
    ? createTlsServer({ ...LIMITS, ...options.tls, handshakeTimeout: HANDSHAKE_MS }, answer)
    : createServer(LIMITS, answer);
  return surviveSocketErrors(limitConnections(server, CONNECTIONS));
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function respond(
  { signer }: ServeOptions,
  tokens: readonly { readonly caller: SignerCaller; readonly hash: Buffer }[],
  request: IncomingMessage,
): Promise<Answer> {
  const given = /^Bearer ([\x21-\x7e]{1,500})$/.exec(request.headers.authorization ?? '')?.[1];
  const callers = tokens.filter(({ hash }) => given !== undefined && isSameSecret(sha256(given), hash));
  if (callers.length === 0) return { status: 401, body: { detail: 'the signer does not know this token' } };
  const method = /^\/v1\/(\w+)$/.exec(request.url ?? '')?.[1];
  const allowed: readonly SignerCaller[] = isMethod(method) ? SIGNER_CALLS[method] : [];
  if (!isMethod(method) || request.method !== 'POST') return { status: 404, body: { detail: 'there is no such call' } };
  if (!callers.some(({ caller }) => allowed.includes(caller)))
    return { status: 403, body: { detail: 'this call is not for this caller' } };
  const text = await readBody(request);
  if (text === undefined) return { status: 413, body: { detail: 'the request is too long' } };
  try {
    return { status: 200, body: await calls[method](signer, JSON.parse(text)) };
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError)
      return { status: 400, body: { detail: 'the request is not what this call takes' } };
    throw error;
  }
}

const isMethod = (name: string | undefined): name is Method => name !== undefined && Object.hasOwn(SIGNER_CALLS, name);

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_CALL_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
