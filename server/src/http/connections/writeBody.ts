import type { ServerResponse } from 'node:http';

export interface Patience {
  /** For a client that takes nothing more of its answer. */
  readonly stalledMs: number;
  /** What a client must take on average, when the time for a stalled one is over. */
  readonly bytesPerSecond: number;
}

const PATIENCE: Patience = { stalledMs: 30_000, bytesPerSecond: 8_192 };

/** A TLS record, and what Node buffers of a connection before it says that it is full. */
const PIECE_BYTES = 16_384;

/**
 * Writes a large body piece by piece, the next one when the connection has taken the last. Written at once it would be
 * encrypted at once: with TLS every client that does not read would hold a copy of its own. A client that is too slow
 * is hung up on.
 */
export function writeBody(response: ServerResponse, body: Buffer, { stalledMs, bytesPerSecond } = PATIENCE): void {
  let endsAt = Number.POSITIVE_INFINITY;
  let written = 0;
  let timer: NodeJS.Timeout | undefined;

  function next(): void {
    clearTimeout(timer);
    if (response.destroyed) return;
    while (written < body.length) {
      const piece = body.subarray(written, written + PIECE_BYTES);
      written += piece.length;
      if (!response.write(piece)) {
        timer = setTimeout(() => response.destroy(), Math.min(stalledMs, endsAt - performance.now()));
        return;
      }
    }
    response.removeListener('drain', next);
    response.end();
  }

  function begin(): void {
    endsAt = performance.now() + stalledMs + (body.length / bytesPerSecond) * 1000;
    response.on('drain', next);
    response.once('close', () => clearTimeout(timer));
    next();
  }

  // Behind an earlier answer it has no connection yet, and may never get one: then nothing tells us of its end.
  if (response.socket) begin();
  else response.once('socket', begin);
}
