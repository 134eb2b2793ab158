/**
 * `adapters/signer` calls the signer process: HTTP with JSON over a unix socket, or over TLS to another machine. A
 * missing answer, or one that does not come from the signer, is *unknown*, and the caller asks again.
 */
import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Bid, Hex } from '../../core/ports.ts';
import type { Arrival, ArrivalPage, Balance, ProviderTransfer } from '../../core/providerSays.ts';
import { MAX_CALL_BYTES, type SIGNER_CALLS, type Signer, type SigningRefusal } from '../../core/signer.ts';

interface RemoteOptions {
  /** Tried in this order: `unix:/path`, `https://…`, or `http://…` on this machine. */
  readonly urls: readonly string[];
  readonly token: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
/** An endpoint that timed out is skipped for this long. */
const REST_MS = 2_000;

type Method = keyof typeof SIGNER_CALLS;
type Answer = { readonly outcome: 'accepted' } | { readonly outcome: 'rejected'; readonly reason: string };
type Unknown = { readonly outcome: 'unknown'; readonly cause: unknown };

interface RemoteSigner extends Signer {
  close(): void;
}

export function remoteSigner({ urls, token, timeoutMs = TIMEOUT_MS }: RemoteOptions): RemoteSigner {
  const places = urls.map((url) => ({ ...openPlace(url), restsUntil: 0 }));

  async function ask<Accepted extends object>(
    method: Method,
    body: object,
  ): Promise<(Accepted & { readonly outcome: 'accepted' }) | Exclude<Answer, { outcome: 'accepted' }> | Unknown> {
    let cause: unknown = new Error('all signers timed out a moment ago');
    for (const place of places) {
      if (place.restsUntil > performance.now()) continue;
      try {
        const send = () => post(place, `/v1/${method}`, JSON.stringify(body), token, timeoutMs);
        // A kept-alive connection may have been closed at this very moment. Every call may be repeated.
        const text = await send().catch((error: Error) => (isReset(error) ? send() : Promise.reject(error)));
        return JSON.parse(text) as Accepted & { outcome: 'accepted' };
      } catch (error) {
        if (error instanceof SignerTimeout) place.restsUntil = performance.now() + REST_MS;
        cause = error;
      }
    }
    return { outcome: 'unknown', cause };
  }

  return {
    check: () => ask('check', {}),
    makeWallet: (userId) => ask<{ walletId: string; address: string }>('makeWallet', { userId }),
    findRelayer: (number) => ask<{ reference: string; address: Hex }>('findRelayer', { number }),
    signAuthorizations: (moveIds, validBefore) =>
      ask<{ refused: SigningRefusal[] }>('signAuthorizations', { moveIds, validBefore: String(validBefore) }),
    signCancellations: (moveIds) => ask<{ refused: SigningRefusal[] }>('signCancellations', { moveIds }),
    signRelayTx: (relayTxId, { maxFeeWei, priorityFeeWei }: Bid, headNumber) =>
      ask<{ hash: Hex; raw: Hex }>('signCarrier', {
        carrierId: relayTxId,
        maxFeeWei: String(maxFeeWei),
        priorityFeeWei: String(priorityFeeWei),
        headNumber: String(headNumber),
      }),
    transfers: {
      submit: (moveId) => ask<ProviderTransfer>('submitTransfer', { moveId }),
      find: (moveId) => ask<ProviderTransfer>('findTransfer', { moveId }),
      cancel: (moveId) => ask('cancelTransfer', { moveId }),
      accelerate: (moveId) => ask('accelerateTransfer', { moveId }),
    },
    listArrivals: (blockchain, since, after) =>
      ask<ArrivalPage>('listArrivals', { blockchain, since, ...(after !== undefined && { after }) }),
    findArrival: (blockchain, providerId) => ask<Arrival>('findArrival', { blockchain, providerId }),
    readBalance: (blockchain, currency, walletId) => ask<Balance>('readBalance', { blockchain, currency, walletId }),
    fetchWebhookKey: (adapter, keyId) => ask('fetchWebhookKey', { adapter, keyId }),
    close() {
      for (const { options } of places) (options.agent as HttpAgent).destroy();
    },
  };
}

class SignerTimeout extends Error {}

const isReset = (error: NodeJS.ErrnoException): boolean => error.code === 'ECONNRESET' || error.code === 'EPIPE';

interface Endpoint {
  readonly options: RequestOptions;
  readonly request: typeof requestHttp;
}

function openPlace(url: string): Endpoint {
  const keep = { keepAlive: true, maxSockets: 16, maxFreeSockets: 4 };
  if (url.startsWith('unix:')) {
    return { request: requestHttp, options: { agent: new HttpAgent(keep), socketPath: url.slice('unix:'.length) } };
  }
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return protocol === 'https:'
    ? { request: requestHttps, options: { agent: new HttpsAgent(keep), host, port } }
    : { request: requestHttp, options: { agent: new HttpAgent(keep), host, port } };
}

/** Returns the text of a good answer. No redirect is followed, and an answer is read only up to its limit. */
function post(place: Endpoint, path: string, body: string, token: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const call = place.request({ ...place.options, method: 'POST', path, headers }, (response) => {
      readText(response).then(
        (text) =>
          response.statusCode === 200
            ? resolve(text)
            : reject(new Error(`the signer answered ${response.statusCode}: ${text.slice(0, 200)}`)),
        reject,
      );
    });
    const timer = setTimeout(() => {
      call.destroy(new SignerTimeout(`the signer has not answered within ${timeoutMs} ms`));
    }, timeoutMs);
    call.on('close', () => clearTimeout(timer));
    call.on('error', reject);
    call.end(body);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_CALL_BYTES) throw new Error('the answer is too long to come from the signer');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
