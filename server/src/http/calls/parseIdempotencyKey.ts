import type { IncomingHttpHeaders } from 'node:http';
import { PayError } from '../../core/errors.ts';

/** The draft standard quotes the key; most clients do not. `"k"` and `k` are the same key. */
export function parseIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const text = String(header);
  const key = text.startsWith('"') ? (/^"(.*)"$/.exec(text)?.[1] ?? text) : text;
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key)) throw new PayError('idempotency.invalid');
  return key;
}
