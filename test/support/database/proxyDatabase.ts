import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../http/listen.ts';

interface DatabaseProxy {
  /** The same database, reached through the proxy. */
  readonly url: string;
  breakConnections(): void;
  remove(): Promise<void>;
}

/**
 * A proxy between a client and PostgreSQL. `join` gets both sockets of a connection and decides what to forward; `end`
 * breaks this connection.
 */
export async function proxyDatabase(
  databaseUrl: string,
  join: (near: Socket, far: Socket, end: () => void) => void,
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    // Otherwise the second of two small messages waits 40 ms for the receiver's acknowledgement of the first.
    for (const socket of [near, far]) socket.setNoDelay();
    const end = () => {
      for (const socket of [near, far]) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [near, far]) sockets.add(socket.on('error', end).on('close', end));
    join(near, far, end);
  });
  const url = new URL(databaseUrl);
  url.port = String(await listen(server));
  const breakConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    breakConnections,
    remove() {
      breakConnections();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}
