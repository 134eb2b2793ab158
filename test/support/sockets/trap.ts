/** A wire to PostgreSQL that can be made to break at the worst moment. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Trap {
  readonly url: string;
  /** How often it has sprung. */
  readonly sprung: number;
  /**
   * The next statement that pays: `before` loses the question, so that nothing was done; `after` loses the answer,
   * so that PostgreSQL has committed and nobody knows. Springs `times` times.
   */
  set(when: 'before' | 'after', times?: number): void;
  remove(): Promise<void>;
}

/** The parameters of the batch statement, and nothing else that is sent, carry its name when it is bound. */
const PAYS = 'pay_users';

export async function layTrap(databaseUrl: string): Promise<Trap> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let armed: 'before' | 'after' | undefined;
  let left = 0;
  let sprung = 0;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let swallow = false;
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) sockets.add(socket.on('error', end).on('close', end));
    near.on('data', (chunk) => {
      if (armed && left > 0 && chunk.includes(PAYS)) {
        left--;
        sprung++;
        if (armed === 'before') return end();
        swallow = true;
      }
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      // The answer is here, so the commit is done. It goes no further.
      if (swallow) return end();
      near.write(chunk);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    get sprung() {
      return sprung;
    },
    set(when, times = 1) {
      armed = when;
      left = times;
    },
    remove() {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}
