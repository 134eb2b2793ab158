import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that wait until earlier ones are answered. Browsers and most clients send none. */
const MOST_WAITING = 16;
/** Each request may listen for the end of its connection. Node warns of more listeners than these. */
const MOST_LISTENERS = 2 * MOST_WAITING;

/**
 * Hangs up on clients that send many requests and read no answers: a single packet holds more than a thousand, and each
 * would keep its answer in memory.
 */
export function limitPipelining(answer: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // An answer without a socket waits for an earlier one; all others pay only for this comparison.
    if (response.socket === null) {
      const { socket } = request;
      if (socket.destroyed) return;
      const count = (waiting.get(socket) ?? 0) + 1;
      if (count > MOST_WAITING) {
        socket.destroy();
        return;
      }
      if (count === 1) socket.setMaxListeners(MOST_LISTENERS);
      waiting.set(socket, count);
      response.once('close', () => waiting.set(socket, waiting.get(socket)! - 1));
    }
    answer(request, response);
  };
}
