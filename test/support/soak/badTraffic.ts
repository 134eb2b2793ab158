/** Clients of the worst kind, from addresses of their own: broken connections in bursts, and others that linger. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { BROKEN_KINDS, breakConnections, credentialsOf, type Target } from '../http/breakConnections.ts';

interface BadTraffic {
  /** Connections by kind. */
  readonly counts: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** A connection that stays until the server closes it, or for a while if it does not notice. */
interface LingeringKind {
  readonly kind: string;
  /** The number of these connections that are open at the same time, for each port. */
  readonly places: number;
  /** Over plain TCP, also where the port speaks TLS. */
  readonly isBare?: true;
  begin(socket: Socket, target: Target): void;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const DRIP_MS = 300;
/** Longer than the server waits for a client that reads nothing. */
const LINGERS_MS = 40_000;

/** Calls it again and again while the connection is open. */
function repeat(socket: Socket, work: () => void): void {
  const timer = setInterval(work, DRIP_MS);
  socket.on('close', () => clearInterval(timer));
}

const LINGERING: readonly LingeringKind[] = [
  {
    kind: 'reads nothing of a large answer',
    places: 60,
    begin: (socket, { largePath }) => void socket.pause().write(get(largePath).repeat(4)),
  },
  {
    kind: 'reads a large answer byte by byte',
    places: 20,
    begin(socket, { largePath }) {
      socket.pause().write(get(largePath));
      repeat(socket, () => void socket.read(200));
    },
  },
  {
    kind: 'writes its head byte by byte',
    places: 20,
    begin(socket, { goodPath }) {
      socket.resume().write(`GET ${goodPath} HTTP/1.1\r\nHost: localhost\r\n`);
      repeat(socket, () => void socket.write('X-A: b\r\n'));
    },
  },
  {
    kind: 'writes its body byte by byte',
    places: 20,
    begin(socket, target) {
      const headers = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 200000'];
      const head = [`POST ${target.postPath} HTTP/1.1`, ...headers, ...credentialsOf(target)].join('\r\n');
      socket.resume().write(`${head}\r\n\r\n`);
      repeat(socket, () => void socket.write('x'.repeat(500)));
    },
  },
  { kind: 'says nothing', places: 40, isBare: true, begin: (socket) => void socket.resume() },
];

/** More than one address may have; over plain TCP, so that they cost us little work. */
const CROWD = 600;
const CROWD_EVERY_MS = 20_000;
const CROWD_STAYS_MS = 2_000;
const BURST_EVERY_MS = 1_000;
const BURSTS = [5, 12, 25];

/**
 * `addressOf(n)`: the client address of the nth group. `share`: the fraction of lingering clients that run; 1 means
 * all.
 */
export function startBadTraffic(
  targets: readonly Target[],
  addressOf: (nth: number) => string,
  share: number,
): BadTraffic {
  const counts = new Map<string, number>();
  const open = new Set<Socket>();
  const count = (kind: string, times = 1) => counts.set(kind, (counts.get(kind) ?? 0) + times);
  let running = true;

  function dial(target: Target, from: string, isBare = false): Socket {
    const { hostname: host, port } = new URL(target.url);
    const options = { host, port: Number(port), localAddress: from };
    const secure = target.authority !== undefined && !isBare;
    const socket = secure ? connectTls({ ...options, ca: target.authority }) : connect(options);
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    return socket;
  }

  /**
   * Reconnects when the server closes the connection. A client that does not read does not see that, and starts over
   * after a while.
   */
  async function linger(kind: LingeringKind, target: Target, from: string): Promise<void> {
    while (running) {
      const socket = dial(target, from, kind.isBare);
      count(kind.kind);
      socket.on(target.authority && !kind.isBare ? 'secureConnect' : 'connect', () => kind.begin(socket, target));
      if (!running) socket.destroy();
      const enough = setTimeout(() => socket.destroy(), LINGERS_MS);
      await new Promise((done) => socket.on('close', done));
      clearTimeout(enough);
      await sleep(200);
    }
  }

  async function burst(target: Target): Promise<void> {
    for (let nth = 0; running; nth++) {
      const kind = BROKEN_KINDS[nth % BROKEN_KINDS.length]!;
      const size = BURSTS[nth % BURSTS.length]!;
      count(kind.kind, size);
      await breakConnections(target, [kind], size);
      await sleep(BURST_EVERY_MS / 2);
    }
  }

  async function storm(target: Target): Promise<void> {
    while (running) {
      count('all kinds together', 50);
      await breakConnections(target, BROKEN_KINDS, 50);
      await sleep(BURST_EVERY_MS * 5);
    }
  }

  async function crowd(target: Target, from: string): Promise<void> {
    while (running) {
      const sockets = Array.from({ length: CROWD }, () => dial(target, from, true));
      count(`one of ${CROWD} in parallel`, CROWD);
      await sleep(CROWD_STAYS_MS);
      for (const socket of sockets) socket.destroy();
      for (let waited = 0; running && waited < CROWD_EVERY_MS; waited += 200) await sleep(200);
    }
  }

  const work = targets.flatMap((target, nth) => {
    const [breaking, storming, lingering, crowding] = [0, 1, 2, 3].map((group) => addressOf(nth * 4 + group));
    // The operations port accepts few connections, and is meant to be out of reach: clients that linger would fill it.
    const stays = target.authority !== undefined;
    return [
      burst({ ...target, from: breaking! }),
      storm({ ...target, from: storming! }),
      ...(stays ? [crowd(target, crowding!)] : []),
      ...(stays ? LINGERING : []).flatMap((kind) =>
        Array.from({ length: Math.ceil(kind.places * share) }, () => linger(kind, target, lingering!)),
      ),
    ];
  });
  return {
    counts,
    async stop() {
      running = false;
      for (const socket of open) socket.destroy();
      await Promise.all(work);
    },
  };
}
