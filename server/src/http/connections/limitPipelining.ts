import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that wait for answers to earlier ones. Browsers and most clients send none. */
const MOST_WAITING = 16;
/** Each request may listen for the end of its connection. Node warns above this number of listeners. */
const MOST_LISTENERS = 2 * MOST_WAITING;

/**
 * Closes connections of clients that send many requests without reading answers: a single packet holds more than a
 * thousand requests, and each would keep its answer in memory.
 */
export function limitPipelining(answer: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // An answer without a socket waits for an earlier one. All other answers pay only for this comparison.
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
