import type { IncomingMessage } from 'node:http';
import { PayError } from '../../core/errors.ts';

export const BODY_LIMIT_BYTES = 256 * 1024;

/** The client closed the connection before its body was complete: no answer is needed. */
export const CLIENT_GONE = Symbol('client gone');

const tooLarge = () => new PayError('request.too_large', { limit_bytes: BODY_LIMIT_BYTES });

/**
 * Reads the whole body. Bytes are counted as they arrive, so that neither chunks nor a false Content-Length exceed the
 * limit; a larger Content-Length is refused before anything is read.
 */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT_BYTES) {
      reject(tooLarge());
      return;
    }
    let first: Buffer | undefined;
    let chunks: Buffer[] | undefined;
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > BODY_LIMIT_BYTES) {
        request.removeAllListeners('data');
        reject(tooLarge());
      } else if (!first) first = chunk;
      else {
        chunks ??= [first];
        chunks.push(chunk);
      }
    });
    request.on('end', () => resolve(chunks ? Buffer.concat(chunks, length) : (first ?? Buffer.alloc(0))));
    request.on('error', () => reject(CLIENT_GONE));
    request.on('close', () => {
      if (!request.complete) reject(CLIENT_GONE);
    });
  });
}
