/**
 * `adapters/kyc` asks Sumsub whether a person is who they say. Two secrets: one signs our requests, another one proves
 * that a webhook is theirs. We send our own user id and nothing else about a person, and keep only the verdict.
 */
import { createHmac } from 'node:crypto';

export interface SignedRequest {
  readonly method: 'GET' | 'POST';
  /** With its query, exactly as it goes over the wire. */
  readonly path: string;
  readonly body?: string | undefined;
}

/** HMAC over timestamp, method, path and body without separators; the timestamp has the same digits as its header. */
export function signRequest(
  keys: { readonly appToken: string; readonly secretKey: string },
  request: SignedRequest,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  return {
    'X-App-Token': keys.appToken,
    'X-App-Access-Ts': timestamp,
    'X-App-Access-Sig': createHmac('sha256', keys.secretKey)
      .update(timestamp + request.method + request.path)
      .update(request.body ?? '')
      .digest('hex'),
  };
}
