import type { IncomingMessage } from 'node:http';
import { PayError } from '../../core/errors.ts';

export const BODY_LIMIT_BYTES = 256 * 1024;

/**
 * The most memory that all incomplete bodies of the process may hold together, against many clients that stop half way.
 */
const ALL_BODIES_BYTES = 64 * 1024 * 1024;
let heldBytes = 0;
/** Bodies that have begun and are not complete, oldest first. */
const unfinished = new Set<{ hangUp(): void }>();

/** The client closed the connection before its body was complete: no answer is needed. */
export const CLIENT_GONE = Symbol('client gone');

const tooLarge = (limitBytes: number) => new PayError('request.too_large', { limit_bytes: limitBytes });

/**
 * Reads the whole body. A Content-Length beyond the limit is refused before anything is read, and Node's parser passes
 * on no more than was declared. Without a Content-Length, the bytes are counted as they arrive. The request may not be
 * `complete` yet when this resolves: the last byte is enough.
 */
export function readBody(request: IncomingMessage, limitBytes = BODY_LIMIT_BYTES): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? Number.NaN);
    if (declared > limitBytes) {
      reject(tooLarge(limitBytes));
      return;
    }
    // The client disconnected during authorization: the request emits no more events.
    if (request.destroyed) {
      reject(CLIENT_GONE);
      return;
    }
    let parts: Parts | undefined;
    request.on('data', (chunk: Buffer) => {
      // Nearly every body arrives in one chunk: there is nothing to keep and no end to wait for.
      if (chunk.length === declared) {
        resolve(chunk);
        return;
      }
      parts ??= keepParts(request);
      if (parts.length + chunk.length > limitBytes) {
        request.removeAllListeners('data');
        parts.forget();
        reject(tooLarge(limitBytes));
        return;
      }
      parts.add(chunk);
      if (parts.length === declared) resolve(parts.take());
    });
    // Without a length, only the end event shows that the body is complete.
    if (!(declared > 0)) request.on('end', () => resolve(parts?.take() ?? EMPTY));
    request.on('close', () => {
      parts?.forget();
      // Has no effect if the body was already read.
      reject(CLIENT_GONE);
    });
  });
}

const EMPTY = Buffer.alloc(0);

/** The chunks received so far of a body that arrives in parts. */
interface Parts {
  readonly length: number;
  add(chunk: Buffer): void;
  /** Returns the whole body and releases its memory. */
  take(): Buffer;
  forget(): void;
}

/**
 * When all incomplete bodies together hold too much memory, we close the oldest ones: clients that stopped half way,
 * not clients that just arrived.
 */
function keepParts(request: IncomingMessage): Parts {
  let chunks: Buffer[] = [];
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
    chunks = [];
    unfinished.delete(body);
  }
  return {
    get length() {
      return length;
    },
    add(chunk) {
      unfinished.add(body);
      chunks.push(chunk);
      length += chunk.length;
      heldBytes += chunk.length;
      for (const oldest of unfinished) {
        if (heldBytes <= ALL_BODIES_BYTES) break;
        oldest.hangUp();
      }
    },
    take() {
      const whole = Buffer.concat(chunks, length);
      forget();
      return whole;
    },
    forget,
  };
}
