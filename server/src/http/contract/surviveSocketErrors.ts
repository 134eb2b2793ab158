import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const ignore = (): void => {};
const listen = (socket: Socket): void => void socket.on('error', ignore);

/**
 * Keeps an error listener on every connection of a server for as long as the connection lives. Node's own listener
 * goes away when a request asks for a tunnel (CONNECT) or another protocol (Upgrade); a connection that the client
 * then resets would emit an error that nobody hears, and that ends the process. Every HTTP server goes through here.
 */
export function surviveSocketErrors<S extends Server>(server: S): S {
  server.on('connection', listen);
  // Behind TLS the requests come on a second socket, which is laid over the one of the connection.
  server.on('secureConnection', listen);
  return server;
}
