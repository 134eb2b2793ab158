/**
 * A proxy between one side of a race and PostgreSQL. It can hold a statement before PostgreSQL gets it, hears of stop points
 * inside functions, and knows which connections are this side's.
 */
import type { Socket } from 'node:net';
import { proxyDatabase } from '../../database/proxyDatabase.ts';
import { readMessages } from '../../database/readMessages.ts';

/** Where side A was stopped. */
export interface Stop {
  readonly kind: 'statement' | 'inside';
  readonly where: string;
}

export interface Gate {
  /** The same database with the same login, through here. */
  through(url: string): string;
  /** The ports that PostgreSQL sees: `pg_stat_activity.client_port`. */
  ports(): number[];
  /**
   * From now on: stops before the statement with this number, from 0; undefined: before none. Steps are counted anew. The
   * promise is kept at a stop of either kind.
   */
  arm(statement: number | undefined): Promise<Stop>;
  /** Lets a held statement go on. */
  resume(): void;
  /** How many statements were sent since it was armed, and the stop points inside functions that were passed. */
  readonly statements: number;
  readonly passed: readonly string[];
  remove(): Promise<void>;
}

/** They change nothing: stopping before the next statement is the same. */
const isIdle = (text: string): boolean => /^(BEGIN|SELECT 1|SET |SHOW |SELECT pg_is_in_recovery)/i.test(text);

export async function openGate(databaseUrl: string, side: 'a' | 'b'): Promise<Gate> {
  const farSockets = new Set<Socket>();
  let target: number | undefined;
  let count = 0;
  let passed: string[] = [];
  let onStop: (stop: Stop) => void = () => {};
  let release: (() => void) | undefined;

  const before = async (text: string): Promise<void> => {
    if (isIdle(text)) return;
    if (count++ !== target) return;
    const released = new Promise<void>((go) => {
      release = go;
    });
    onStop({ kind: 'statement', where: text.replace(/\s+/g, ' ').slice(0, 70) });
    await released;
  };

  const { url, remove } = await proxyDatabase(databaseUrl, (near, far) => {
    farSockets.add(far);
    far.on('close', () => farSockets.delete(far));
    near.on('data', forwardClient(far, side, before));
    far.on(
      'data',
      forwardServer(near, (kind, where) => {
        passed.push(where);
        if (kind === 'stop') onStop({ kind: 'inside', where });
      }),
    );
  });
  const port = new URL(url).port;
  return {
    through: (one) => Object.assign(new URL(one), { port }).href,
    ports: () => [...farSockets].flatMap(({ localPort }) => localPort ?? []),
    arm(statement) {
      [target, count, passed] = [statement, 0, []];
      return new Promise((stopped) => {
        onStop = stopped;
      });
    },
    resume() {
      target = undefined;
      release?.();
      release = undefined;
    },
    get statements() {
      return count;
    },
    get passed() {
      return passed;
    },
    remove,
  };
}

/** `Q` is a statement; so is everything from `P` or `B` to `S` (Sync). */
function forwardClient(far: Socket, side: string, before: (text: string) => Promise<void>): (chunk: Buffer) => void {
  let group: Buffer[] = [];
  let last: Promise<void> = Promise.resolve();
  const names = new Map<string, string>();
  let text = '';
  return readMessages((type, message) => {
    if (type === '') return void far.write(nameSide(message, side));
    const words = message.subarray(5).toString('latin1').split('\0');
    if (type === 'Q') text = words[0]!;
    if (type === 'P') {
      text = words[1]!;
      names.set(words[0]!, text);
    }
    if (type === 'B') text = names.get(words[1]!) ?? '?';
    group.push(message);
    const isWhole = type === 'Q' || type === 'S' || type === 'X' || type === 'p';
    if (!isWhole) return;
    const [bytes, statement] = [Buffer.concat(group), type === 'Q' || type === 'S' ? text : undefined];
    group = [];
    last = last.then(async () => {
      if (statement !== undefined) await before(statement);
      if (!far.destroyed) far.write(bytes);
    });
  }, false);
}

/** The startup message names settings of the connection; this adds one. */
function nameSide(startup: Buffer, side: string): Buffer {
  const body = Buffer.concat([startup.subarray(4, -1), Buffer.from(`races.side\0${side}\0\0`)]);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}

/** Passes everything on but our own notices. */
function forwardServer(near: Socket, onNotice: (kind: string, where: string) => void): (chunk: Buffer) => void {
  return readMessages((type, message) => {
    const said = type === 'N' ? /\0Mraces (stop|pass) ([^\0]*)\0/.exec(message.toString('latin1')) : null;
    if (said) onNotice(said[1]!, said[2]!);
    else if (!near.destroyed) near.write(message);
  }, true);
}
