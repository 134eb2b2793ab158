import type { IncomingMessage } from 'node:http';
import { PayError } from '../../core/errors.ts';

export const BODY_LIMIT_BYTES = 256 * 1024;

/** What all bodies may hold that are not complete yet, in the whole process: a thousand clients that stop half way. */
const ALL_BODIES_BYTES = 64 * 1024 * 1024;
let heldBytes = 0;

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
      heldBytes += chunk.length;
      if (length > BODY_LIMIT_BYTES || heldBytes > ALL_BODIES_BYTES) {
        request.removeAllListeners('data');
        [first, chunks] = [undefined, undefined];
        reject(length > BODY_LIMIT_BYTES ? tooLarge() : new PayError('service.overloaded', { retry_after_seconds: 1 }));
      } else if (!first) first = chunk;
      else {
        chunks ??= [first];
        chunks.push(chunk);
      }
    });
    request.on('end', () => {
      resolve(chunks ? Buffer.concat(chunks, length) : (first ?? Buffer.alloc(0)));
      heldBytes -= length;
      length = 0;
    });
    request.on('error', () => reject(CLIENT_GONE));
    request.on('close', () => {
      heldBytes -= length;
      if (!request.complete) reject(CLIENT_GONE);
    });
  });
}
