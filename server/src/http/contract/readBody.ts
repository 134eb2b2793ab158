import type { IncomingMessage } from 'node:http';
import { PayError } from '../../core/errors.ts';

export const BODY_LIMIT_BYTES = 256 * 1024;

/** What all bodies may hold that are not complete yet, in the whole process: a thousand clients that stop half way. */
const ALL_BODIES_BYTES = 64 * 1024 * 1024;
let heldBytes = 0;
/** Bodies that have begun and are not complete; the oldest first. */
const unfinished = new Set<{ hangUp(): void }>();

/** The client closed the connection before its body was complete: no answer is needed. */
export const CLIENT_GONE = Symbol('client gone');

const tooLarge = (limitBytes: number) => new PayError('request.too_large', { limit_bytes: limitBytes });

/**
 * Reads the whole body. Bytes are counted as they arrive, so that neither chunks nor a false Content-Length exceed the
 * limit; a larger Content-Length is refused before anything is read. When all bodies together hold too much, whoever began
 * first and has not finished is hung up on: those who stop half way, and not those who come.
 */
export function readBody(request: IncomingMessage, limitBytes = BODY_LIMIT_BYTES): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
      reject(tooLarge(limitBytes));
      return;
    }
    let first: Buffer | undefined;
    let chunks: Buffer[] | undefined;
    let length = 0;
    const body = {
      hangUp() {
        forget();
        request.destroy();
      },
    };
    function forget(): void {
      heldBytes -= length;
      length = 0;
      [first, chunks] = [undefined, undefined];
      unfinished.delete(body);
    }
    request.on('data', (chunk: Buffer) => {
      unfinished.add(body);
      length += chunk.length;
      heldBytes += chunk.length;
      if (length > limitBytes) {
        request.removeAllListeners('data');
        forget();
        reject(tooLarge(limitBytes));
        return;
      }
      if (!first) first = chunk;
      else {
        chunks ??= [first];
        chunks.push(chunk);
      }
      for (const oldest of unfinished) {
        if (heldBytes <= ALL_BODIES_BYTES) break;
        oldest.hangUp();
      }
    });
    request.on('end', () => {
      resolve(chunks ? Buffer.concat(chunks, length) : (first ?? Buffer.alloc(0)));
      forget();
    });
    request.on('error', () => reject(CLIENT_GONE));
    request.on('close', () => {
      forget();
      if (!request.complete) reject(CLIENT_GONE);
    });
  });
}
