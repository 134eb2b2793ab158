import { setTimeout as sleep } from 'node:timers/promises';
import { readBounded } from '../supplied/readBounded.ts';
import { type SignedRequest, signRequest } from './signRequest.ts';

export interface SumsubOptions {
  /** `https://api.sumsub.com`. The app token decides between Sumsub's sandbox and production. */
  readonly url: string;
  readonly appToken: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly webhookAlgorithm: 'HMAC_SHA256_HEX' | 'HMAC_SHA512_HEX';
  readonly level: string;
  /** For one call including its retries. Our own caller is waiting in the meantime. */
  readonly timeoutMs?: number;
  readonly tokenSeconds?: number;
}

/** Sumsub's answer; `unknown` when there was no answer, so the request may or may not have taken effect. */
export type Reply =
  | { readonly status: number; readonly body: unknown }
  | { readonly status: 'unknown'; readonly cause: unknown };

const ATTEMPTS = 3;
const PAUSE_MS = 100;
const MAX_ANSWER_BYTES = 512 * 1024;

/**
 * Sends one signed request. Outages, 5xx and 429 are retried until the deadline; all our requests may be repeated. The
 * cause of an unknown outcome contains a status or an error code, never the request or the answer.
 */
export async function askSumsub(options: SumsubOptions, request: SignedRequest, deadline: AbortSignal): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    const reply = await askOnce(options, request, deadline);
    const isFinal = reply.status !== 'unknown' && reply.status !== 429 && reply.status < 500;
    if (isFinal) return reply;
    if (attempt === ATTEMPTS || deadline.aborted) return toUnknown(reply);
    await sleep(PAUSE_MS * attempt, undefined, { signal: deadline }).catch(() => {});
  }
}

function toUnknown(reply: Reply): Reply {
  return reply.status === 'unknown'
    ? reply
    : { status: 'unknown', cause: new Error(`sumsub answered ${reply.status}`) };
}

async function askOnce(options: SumsubOptions, request: SignedRequest, signal: AbortSignal): Promise<Reply> {
  const { method, path, body } = request;
  try {
    const answer = await fetch(options.url + path, {
      method,
      // Sumsub requires the content type even without a body. Each attempt is signed again, because a signature is
      // valid for only a minute.
      headers: {
        ...signRequest(options, request, Date.now()),
        'Content-Type': 'application/json',
        Accept: 'application/json',
      },
      ...(body !== undefined && { body }),
      redirect: 'error',
      signal,
    });
    return { status: answer.status, body: await readJson(answer) };
  } catch (error) {
    return { status: 'unknown', cause: describe(error) };
  }
}

async function readJson(answer: Response): Promise<unknown> {
  const text = await readBounded(answer, MAX_ANSWER_BYTES);
  try {
    return JSON.parse(text);
  } catch {
    // The error of JSON.parse would quote the answer, which may contain personal data.
    if (answer.ok) throw new Error('the answer is not JSON');
    return undefined;
  }
}

/** fetch hides the reason (such as ECONNREFUSED) in the error's cause. */
function describe(error: unknown): Error {
  const { name, message, cause } = error as Error & { cause?: { code?: string } };
  return new Error(`sumsub did not answer: ${cause?.code ?? (name === 'Error' ? message : name)}`);
}
