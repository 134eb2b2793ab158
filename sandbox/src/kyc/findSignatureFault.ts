import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../../server/src/core/isSameSecret.ts';

const TOLERANCE_SECONDS = 60;

export interface ApiKeys {
  readonly appToken: string;
  readonly secretKey: string;
}

/** The fault of a request's signature, with Sumsub's messages; undefined if it is valid. */
export function findSignatureFault(
  keys: ApiKeys,
  request: { headers: IncomingHttpHeaders; method: string; path: string; body: Buffer },
): string | undefined {
  const { headers, method, path, body } = request;
  const timestamp = String(headers['x-app-access-ts'] ?? '');
  if (headers['x-app-token'] !== keys.appToken) return 'Invalid app token';
  if (!/^\d+$/.test(timestamp)) return 'Invalid timestamp';
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return 'Request timestamp is too old';
  const wanted = createHmac('sha256', keys.secretKey)
    .update(timestamp + method + path)
    .update(body)
    .digest('hex');
  const given = String(headers['x-app-access-sig'] ?? '');
  return isSameSecret(Buffer.from(given), Buffer.from(wanted)) ? undefined : 'Invalid signature';
}
