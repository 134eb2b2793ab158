/**
 * A proxy that forwards answers in portions, and cuts every connection after a while, losing what it has not forwarded.
 */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

interface BadProxy {
  readonly url: string;
  /** Connections that it has cut while they were in use. */
  readonly cuts: number;
  stop(): Promise<void>;
}

const PORTION_EVERY_MS = 60;
/** Longer each time, so that a call succeeds on a slow machine too. */
const CUT_AFTER_MS = 250;

export async function serveBadProxy(target: string): Promise<BadProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let held: Buffer[] = [];
    const portions = setInterval(() => {
      for (const part of held) client.write(part);
      held = [];
    }, PORTION_EVERY_MS);
    const cut = () => {
      clearInterval(portions);
      clearTimeout(timer);
      for (const socket of [client, upstream]) {
        socket.destroy();
        open.delete(socket);
      }
    };
    const timer = setTimeout(
      () => {
        cuts++;
        cut();
      },
      CUT_AFTER_MS * (1 + cuts / 4),
    );
    upstream.on('data', (part: Buffer) => held.push(part));
    client.on('data', (part: Buffer) => upstream.write(part));
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', cut).on('close', cut);
    }
  });
  const listening = await listen(server);
  return {
    url: `http://127.0.0.1:${listening}`,
    get cuts() {
      return cuts;
    },
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
