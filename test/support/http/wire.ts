/** A connection to a server that tests can cut, let hang, and restore. */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

export interface Wire {
  /** The same server, reached through the wire. */
  readonly url: string;
  /** Connections are refused or reset. */
  cut(): void;
  /** Connections are accepted, and nothing ever comes back. */
  hang(): void;
  restore(): void;
  remove(): Promise<void>;
}

export async function layWire(url: string): Promise<Wire> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let state: 'whole' | 'cut' | 'hanging' = 'whole';
  const server = createServer((near) => {
    sockets.add(near);
    near.on('error', () => near.destroy()).on('close', () => sockets.delete(near));
    if (state === 'cut') near.destroy();
    if (state !== 'whole') return;
    const far = connect(Number(target.port), target.hostname);
    sockets.add(far);
    far
      .on('error', () => near.destroy())
      .on('close', () => {
        sockets.delete(far);
        near.destroy();
      });
    near.on('close', () => far.destroy());
    near.pipe(far).pipe(near);
  });
  const port = await listen(server);
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const turn = (next: typeof state) => () => {
    // Restoring an intact wire does not break it.
    if (state === next) return;
    state = next;
    breakAll();
  };
  return {
    url: `${target.protocol}//127.0.0.1:${port}${target.pathname === '/' ? '' : target.pathname}`,
    cut: turn('cut'),
    hang: turn('hanging'),
    restore: turn('whole'),
    remove() {
      breakAll();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}
