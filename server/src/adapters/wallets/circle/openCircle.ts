/**
 * `adapters/wallets/circle` calls Circle's developer-controlled wallets as their official SDK does, with time-outs and
 * retries that the SDK lacks. Only the signer process has the API key and the entity secret.
 */
import { constants, createPublicKey, type KeyObject, publicEncrypt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBounded } from '../../supplied/readBounded.ts';
import { CIRCLE_CODES, CircleFault, readFault } from './circleFault.ts';

export interface CircleOptions {
  /** Without a trailing slash: paths are appended to it. */
  readonly url: string;
  readonly apiKey: string;
  /** 32 bytes, as registered at Circle. */
  readonly entitySecret: Uint8Array;
  /** For one request including its retries. */
  readonly timeoutMs?: number;
}

export interface CircleRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: `/v${1 | 2}/${string}`;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /**
   * The request needs the entity secret. Every attempt gets its own ciphertext, because Circle accepts each one only
   * once.
   */
  readonly isSealed?: boolean;
  /** Including retries. Undefined: the time-out of all requests. */
  readonly timeoutMs?: number;
  /**
   * The maximum number of attempts. More than one only if Circle recognizes a repetition, by its idempotency key or
   * because the request only reads.
   */
  readonly attempts: number;
}

/** *Unknown*: there was no answer, or no conclusive one, so the request may have taken effect or may do so later. */
export type CircleAnswer =
  | { readonly outcome: 'accepted'; readonly data: unknown }
  | { readonly outcome: 'rejected'; readonly reason: string; readonly cause: CircleFault }
  | { readonly outcome: 'unknown'; readonly cause: CircleFault };

export interface Circle {
  ask(request: CircleRequest): Promise<CircleAnswer>;
}

const TIMEOUT_MS = 5_000;
const PAUSE_MS = 250;
const MAX_ANSWER_BYTES = 1_048_576;
const PUBLIC_KEY = '/v1/w3s/config/entity/publicKey';

export function openCircle({ url, apiKey, entitySecret, timeoutMs = TIMEOUT_MS }: CircleOptions): Circle {
  let kept: Promise<KeyObject> | undefined;

  async function send({ method, path, query = {} }: CircleRequest, body: object | undefined, signal: AbortSignal) {
    const asked = new URLSearchParams(query).toString();
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(`${url}${path}${asked && `?${asked}`}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          accept: 'application/json, text/plain, */*',
          'user-agent': 'Florin',
        },
        ...(body && { body: JSON.stringify(body) }),
        // A redirect would send the API key to another host.
        redirect: 'error',
        signal,
      });
      text = await readBounded(answer, MAX_ANSWER_BYTES);
    } catch (error) {
      const name = nameOf(error);
      throw new CircleFault(`Circle did not answer: ${name}`, { isUnheard: UNHEARD.includes(name) });
    }
    const parsed = parse(text);
    if (!answer.ok) throw readFault(answer.status, parsed, hide);
    if (typeof parsed !== 'object' || parsed === null || !('data' in parsed))
      throw new CircleFault(`Circle answered ${answer.status} without the expected data`);
    return parsed.data;
  }

  /** Removes the API key and the secret, in case Circle's text quotes them. */
  const hide = (text: string): string =>
    [apiKey, apiKey.split(':').at(-1)!, Buffer.from(entitySecret).toString('hex')].reduce(
      (shown, secret) => shown.replaceAll(secret, '…'),
      text,
    );

  async function fetchKey(signal: AbortSignal): Promise<KeyObject> {
    const data = await send({ method: 'GET', path: PUBLIC_KEY, attempts: 1 }, undefined, signal);
    const { publicKey } = (data ?? {}) as { publicKey?: unknown };
    try {
      return createPublicKey({ key: publicKey as string, format: 'pem' });
    } catch {
      throw new CircleFault('Circle did not return a public key');
    }
  }

  /** Cached after the first success. A failure is not cached: the next request fetches again. */
  function getKey(signal: AbortSignal): Promise<KeyObject> {
    kept ??= fetchKey(signal).catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return kept;
  }

  function seal(key: KeyObject): string {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    return publicEncrypt({ key, padding, oaepHash: 'sha256' }, entitySecret).toString('base64');
  }

  async function sendSealed(request: CircleRequest, signal: AbortSignal): Promise<unknown> {
    const attempt = async (key: KeyObject) =>
      send(request, { ...request.body, entitySecretCiphertext: seal(key) }, signal);
    const used = getKey(signal);
    const key = await used;
    try {
      return await attempt(key);
    } catch (error) {
      if ((error as CircleFault).code !== CIRCLE_CODES.wrongSecret) throw error;
      // Circle may have a new key pair by now and cannot read what was sealed for the old one. If several concurrent
      // requests notice this, the first one drops the old key.
      if (kept === used) kept = undefined;
      const now = await getKey(signal);
      if (textOf(now) === textOf(key)) throw error;
      return attempt(now);
    }
  }

  return {
    async ask(request) {
      const signal = AbortSignal.timeout(request.timeoutMs ?? timeoutMs);
      for (let attempt = 1; ; attempt++) {
        try {
          const data = await (request.isSealed ? sendSealed(request, signal) : send(request, request.body, signal));
          return { outcome: 'accepted', data };
        } catch (error) {
          if (!(error instanceof CircleFault)) throw error;
          if (error.isFinal) return { outcome: 'rejected', reason: error.saysToPayers, cause: error };
          if (error.isOurs || attempt === request.attempts || signal.aborted)
            return { outcome: 'unknown', cause: error };
        }
        await sleep(PAUSE_MS * attempt, undefined, { signal }).catch(() => {});
      }
    },
  };
}

const textOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'spki' }).toString();

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Names of errors that occur before anything was sent. */
const UNHEARD: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** fetch hides the reason (such as ECONNREFUSED, or a redirect) in the error's cause. */
function nameOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? (name === 'Error' ? message : name);
}
