import type { ServerResponse } from 'node:http';
import { addHeaders, type Exchange, see } from '../contract/exchange.ts';

interface SentPieces {
  readonly contentType: string;
  readonly pieces: AsyncIterable<string>;
  /** Name, value, name, value. */
  readonly headers?: readonly string[] | undefined;
}

/** The timeout for a client that stops reading its answer. */
const STALLED_MS = 30_000;

/**
 * Answers with a text of unknown length. It makes the next piece when the connection has taken the last one, so a
 * client that does not read holds only one piece; a client that takes nothing is disconnected. The first piece is made
 * before the head is written, so an error there is answered like any other. A later error cuts the connection, which
 * shows the client that the text is incomplete.
 */
export async function sendPieces(
  exchange: Exchange,
  { contentType, pieces, headers }: SentPieces,
  stalledMs = STALLED_MS,
): Promise<void> {
  const { response } = exchange;
  const iterator = pieces[Symbol.asyncIterator]();
  let next = await iterator.next();
  if (response.destroyed) {
    await iterator.return?.();
    return;
  }
  writeHead(exchange, contentType, headers);
  try {
    for (; !next.done && !response.destroyed; next = await iterator.next()) {
      if (!response.write(next.value)) await waitForRoom(response, stalledMs);
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    see(exchange, 200);
    // The client may have disconnected before the last piece.
    await iterator.return?.();
  }
}

function writeHead(
  { host, response, requestId, answerHeaders }: Exchange,
  contentType: string,
  headers: readonly string[] = [],
): void {
  const lines = ['X-Request-Id', requestId, ...host.headers, ...answerHeaders, 'Content-Type', contentType];
  addHeaders(lines, headers);
  lines.push('Cache-Control', 'no-store');
  if (host.closing) lines.push('Connection', 'close');
  response.writeHead(200, lines);
}

function waitForRoom(response: ServerResponse, stalledMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), stalledMs);
    const done = () => {
      clearTimeout(timer);
      response.removeListener('drain', done);
      response.removeListener('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
