/** A cable to PostgreSQL that tests can cut and mend. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Cable {
  /** The same database, reached through the cable. */
  readonly url: string;
  cut(): void;
  mend(): void;
  remove(): Promise<void>;
}

export async function layCable(databaseUrl: string): Promise<Cable> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    const end = () => {
      for (const socket of [near, far]) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    mend: () => {
      isCut = false;
    },
    remove: () => {
      cut();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}
