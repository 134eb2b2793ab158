/** `http/connections` bounds what clients can hold in this process: connections, and answers that they do not read. */
import type { Server } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import { addressOf, isWithin } from './findAddress.ts';

/** Limits of one listening port. */
export interface ConnectionLimits {
  /** Open connections of all clients together. */
  readonly all: number;
  /** Open connections of one IPv4 address or IPv6 /64 network; trusted proxies are not counted. */
  readonly address: number;
}

/** How often idle connections can be closed when all slots are taken. */
const CLOSE_EVERY_MS = 1_000;

/**
 * Closes connections beyond the limits when they are accepted, before a byte is read. The check runs once per
 * connection, so requests pay nothing for it. When all slots are taken, idle connections are closed to make space.
 */
export function limitConnections<S extends Server>(server: S, limits: ConnectionLimits, proxies?: BlockList): S {
  const open = new Map<string, number>();
  let lastClosedAt = Number.NEGATIVE_INFINITY;
  server.maxConnections = limits.all;
  server.on('drop', () => {
    if (performance.now() - lastClosedAt < CLOSE_EVERY_MS) return;
    lastClosedAt = performance.now();
    server.closeIdleConnections();
  });
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // Undefined: the client has already disconnected.
    if (remoteAddress === undefined || (proxies && isWithin(proxies, remoteAddress))) return;
    const address = addressOf(remoteAddress);
    const count = open.get(address) ?? 0;
    if (count >= limits.address) {
      socket.destroy();
      return;
    }
    open.set(address, count + 1);
    socket.once('close', () => {
      const left = open.get(address)! - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
  return server;
}
