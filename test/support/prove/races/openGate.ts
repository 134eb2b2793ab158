/**
 * A proxy between one side of a race and PostgreSQL. It can hold a statement before PostgreSQL receives it, it is
 * notified of stop points inside functions, and it identifies this side's connections.
 */
import type { Socket } from 'node:net';
import { proxyDatabase } from '../../database/proxyDatabase.ts';
import { readMessages } from '../../database/readMessages.ts';

/** A point that a side reaches: before a statement, or at a stop point inside a function. */
export interface StopPoint {
  readonly kind: 'statement' | 'inside';
  /** The number among the points of its kind, from 0. */
  readonly nth: number;
  readonly where: string;
  /** The whole text, for a statement. */
  readonly text?: string;
  /** The same for all points of one database transaction. */
  readonly tx: string;
}

export interface Gate {
  /** The URL of the same database and login, through this proxy. */
  through(url: string): string;
  /** The ports that PostgreSQL sees: `pg_stat_activity.client_port`. */
  ports(): number[];
  /**
   * Arms the gate: it stops before the statement with this number, from 0; undefined: before none. Counting starts
   * again. The promise resolves at a stop of either kind.
   */
  arm(statement: number | undefined): Promise<StopPoint>;
  /** Releases a held statement. */
  resume(): void;
  /** Changes statements from now on. Statements that a connection has already prepared stay as they are. */
  rewrite(change: (text: string) => string): void;
  /** The points that this side has reached since the gate was armed, in order. */
  readonly trace: readonly StopPoint[];
  /**
   * The deadlocks since the gate was armed for which PostgreSQL has aborted this side, including those that the caller
   * retried.
   */
  readonly deadlocks: readonly string[];
  remove(): Promise<void>;
}

/** These statements change nothing, so a stop before the next statement is equivalent. */
const isIdle = (text: string): boolean =>
  /^(BEGIN|SELECT 1( WHERE pg_is_in_recovery\(\))?$|SET |SHOW |SELECT pg_is_in_recovery)/i.test(text);

export async function openGate(databaseUrl: string, side: 'a' | 'b'): Promise<Gate> {
  const farSockets = new Set<Socket>();
  let target: number | undefined;
  let statements = 0;
  let trace: StopPoint[] = [];
  let deadlocks: string[] = [];
  let onStop: (stop: StopPoint) => void = () => {};
  let release: (() => void) | undefined;
  let connections = 0;
  let change = (text: string): string => text;

  const before = async (text: string, tx: string): Promise<void> => {
    if (isIdle(text)) return;
    const where = text.replace(/\s+/g, ' ').slice(0, 70);
    const place: StopPoint = { kind: 'statement', nth: statements++, where, text, tx };
    trace.push(place);
    if (place.nth !== target) return;
    const released = new Promise<void>((go) => {
      release = go;
    });
    onStop(place);
    await released;
  };

  const { url, remove } = await proxyDatabase(databaseUrl, (near, far) => {
    const connection = connections++;
    let transactions = 0;
    const tx = () => `${connection}.${transactions}`;
    farSockets.add(far);
    far.on('close', () => farSockets.delete(far));
    near.on(
      'data',
      forwardClient(far, side, {
        before: (text) => before(text, tx()),
        rewrite: (text) => change(text),
      }),
    );
    const hear: ServerNews = {
      onIdle: () => transactions++,
      onNotice: (isStop, step, where) => {
        const place: StopPoint = { kind: 'inside', nth: step - 1, where, tx: tx() };
        trace.push(place);
        if (isStop) onStop(place);
      },
      onDeadlock: (where) => void deadlocks.push(where),
    };
    far.on('data', forwardServer(near, hear));
  });
  const port = new URL(url).port;
  return {
    through: (one) => Object.assign(new URL(one), { port }).href,
    ports: () => [...farSockets].flatMap(({ localPort }) => localPort ?? []),
    arm(statement) {
      [target, statements, trace, deadlocks] = [statement, 0, [], []];
      return new Promise((stopped) => {
        onStop = stopped;
      });
    },
    resume() {
      target = undefined;
      release?.();
      release = undefined;
    },
    rewrite(other) {
      change = other;
    },
    get trace() {
      return trace;
    },
    get deadlocks() {
      return deadlocks;
    },
    remove,
  };
}

interface OnStatement {
  before(text: string): Promise<void>;
  rewrite(text: string): string;
}

/** `Q` is a statement; so is everything from `P` or `B` to `S` (Sync). */
function forwardClient(far: Socket, side: string, { before, rewrite }: OnStatement): (chunk: Buffer) => void {
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
    const isRewritten = (type === 'Q' || type === 'P') && rewrite(text) !== text;
    group.push(isRewritten ? replaceText(message, text, rewrite(text)) : message);
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

/** A message that contains another text: its length changes. */
function replaceText(message: Buffer, text: string, other: string): Buffer {
  const [from, to] = [Buffer.from(text, 'latin1'), Buffer.from(other, 'latin1')];
  const at = message.indexOf(from);
  const changed = Buffer.concat([message.subarray(0, at), to, message.subarray(at + from.length)]);
  changed.writeInt32BE(changed.length - 1, 1);
  return changed;
}

/** The startup message names settings of the connection; this adds one. */
function nameSide(startup: Buffer, side: string): Buffer {
  const body = Buffer.concat([startup.subarray(4, -1), Buffer.from(`races.side\0${side}\0\0`)]);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}

interface ServerNews {
  /** The connection is no longer in a transaction. */
  onIdle(): void;
  onNotice(isStop: boolean, step: number, where: string): void;
  onDeadlock(where: string): void;
}

/** Forwards everything except our own notices. */
function forwardServer(near: Socket, { onIdle, onNotice, onDeadlock }: ServerNews): (chunk: Buffer) => void {
  return readMessages((type, message) => {
    const said = type === 'N' ? /\0Mraces (stop|pass) (\d+) ([^\0]*)\0/.exec(message.toString('latin1')) : null;
    if (said) return onNotice(said[1] === 'stop', Number.parseInt(said[2]!, 10), said[3]!);
    const failed = type === 'E' ? message.toString('latin1') : '';
    if (failed.includes('\0C40P01\0')) onDeadlock(/\0W([^\0]*)/.exec(failed)?.[1]?.replaceAll('\n', '; ') ?? '');
    if (type === 'Z' && message[5] === IDLE) onIdle();
    if (!near.destroyed) near.write(message);
  }, true);
}

/** The status in ReadyForQuery that means: no transaction is open. */
const IDLE = 'I'.charCodeAt(0);
