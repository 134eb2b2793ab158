import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const ignore = (): void => {};
const listen = (socket: Socket): void => void socket.on('error', ignore);

/**
 * Keeps an error listener on every connection of a server. Node removes its own when a request asks for a tunnel
 * (CONNECT) or another protocol (Upgrade); if the client then resets the connection, the error would have no listener
 * and end the process. Every HTTP server goes through here.
 */
export function surviveSocketErrors<S extends Server>(server: S): S {
  server.on('connection', listen);
  // With TLS, requests come on a second socket on top of the connection's.
  server.on('secureConnection', listen);
  return server;
}
