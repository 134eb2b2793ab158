import type { ServerResponse } from 'node:http';

export interface Patience {
  /** The timeout for a client that stops reading its answer. */
  readonly stalledMs: number;
  /** The average rate that a client must reach. It is checked for the whole body, with `stalledMs` of extra time. */
  readonly bytesPerSecond: number;
}

const PATIENCE: Patience = { stalledMs: 30_000, bytesPerSecond: 8_192 };

/** The size of a TLS record, and of Node's buffer for a connection. */
const PIECE_BYTES = 16_384;

/**
 * Writes a large body in pieces, the next one when the connection has taken the last. Written in one call, the body
 * would be encrypted in one go, and with TLS every client that does not read would hold its own copy. A client that is
 * too slow is disconnected.
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

  // An answer queued behind an earlier one has no connection yet and may never get one; then no event reports its end.
  if (response.socket) begin();
  else response.once('socket', begin);
}
