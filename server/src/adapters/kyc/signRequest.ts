/**
 * `adapters/kyc` asks Sumsub whether a person's identity was verified. One secret signs our requests, and another one
 * proves that a webhook comes from Sumsub. We send only our own user id and keep only the verdict.
 */
import { createHmac } from 'node:crypto';

export interface SignedRequest {
  readonly method: 'GET' | 'POST';
  /** Including the query, exactly as sent. */
  readonly path: string;
  readonly body?: string | undefined;
}

/**
 * Computes an HMAC over timestamp, method, path and body without separators. The timestamp is the one in the header.
 */
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
