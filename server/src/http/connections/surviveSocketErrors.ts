import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const ignore = (): void => {};
const listen = (socket: Socket): void => void socket.on('error', ignore);

/**
 * Keeps an error listener on every connection of a server. Node removes its own listener when a request asks for a
 * tunnel (CONNECT) or another protocol (Upgrade). If the client then resets the connection, the error would have no
 * listener and would end the process. Every HTTP server uses this.
 */
export function surviveSocketErrors<S extends Server>(server: S): S {
  server.on('connection', listen);
  // With TLS, requests arrive on a second socket on top of the connection's.
  server.on('secureConnection', listen);
  return server;
}
