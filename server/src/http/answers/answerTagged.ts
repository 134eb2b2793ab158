import { hash } from 'node:crypto';
import type { ApiAnswer, ApiCall } from '../contract/operation.ts';

/**
 * A JSON text with its ETag, or 304 if the caller sends the same ETag. Only the caller may cache it, and must
 * revalidate it each time.
 */
export function answerTagged(call: ApiCall, body: string): ApiAnswer {
  const etag = `"${hash('sha1', body, 'base64url')}"`;
  const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
  const contentType = 'application/json';
  if (isNamed(call.headers['if-none-match'], etag)) return { status: 304, body: '', headers, contentType };
  return { body, headers, contentType };
}

/** Weak comparison, as RFC 9110 requires for GET: a proxy may have made our tag weak. */
function isNamed(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}
