import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Page } from './page.ts';

type Zipped = (request: IncomingMessage) => Promise<Page>;

/** A large page: made and compressed at the first request, then kept in memory. */
export function keepZipped(contentType: string, load: () => Buffer | Promise<Buffer>): Zipped {
  let kept: Promise<{ plain: Buffer; small: Buffer }> | undefined;
  const read = async () => {
    const plain = await load();
    return { plain, small: await promisify(gzip)(plain) };
  };
  return async (request) => {
    kept ??= read().catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    const { plain, small } = await kept;
    const headers = ['Cache-Control', 'public, max-age=86400', 'Vary', 'Accept-Encoding'];
    return /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
      ? { contentType, body: small, headers: [...headers, 'Content-Encoding', 'gzip'] }
      : { contentType, body: plain, headers };
  };
}
