/**
 * The history of a run: one line of JSON for each call that a client makes (`invoke`) and for what it learns of it.
 * `ok`: acknowledged. `fail`: refused, so it must have had no effect. `unknown`: no answer, or one that does not say
 * whether the payment was made. Kills, restarts and disturbances are lines of the same file.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

export type Work = 'pay' | 'send' | 'ask' | 'pay request';

interface Call {
  /** The number of the operation; its amount and its idempotency key are its own. Repetitions keep it. */
  readonly op: number;
  readonly work: Work;
  readonly from: string;
  /** A username, or an address. */
  readonly to: string;
  /** In millionths of a USDC. */
  readonly amount: number;
  /** Which server was called. */
  readonly server: string;
}

/** `gone`: a killed process has ended. `started`: its next start begins. */
type Incident = 'kill' | 'gone' | 'started' | 'ready' | 'recovered' | 'disturb' | 'restore';

export type Line = { readonly atMs: number } & (
  | ({ readonly type: 'invoke' } & Call)
  | { readonly type: 'ok'; readonly op: number; readonly server: string; readonly id: string }
  | { readonly type: 'fail'; readonly op: number; readonly server: string; readonly code: string }
  | { readonly type: 'unknown'; readonly op: number; readonly server: string; readonly code: string }
  | { readonly type: Incident; readonly what: string }
);

type Written<Kind> = Kind extends unknown ? Omit<Kind, 'atMs'> : never;

export interface History {
  readonly file: string;
  write(line: Written<Line>): void;
  /** Of every line from now on. */
  onLine(listener: (line: Line) => void): void;
  close(): void;
}

export function openHistory(file: string): History {
  const descriptor = openSync(file, 'w');
  const listeners: ((line: Line) => void)[] = [];
  return {
    file,
    write(given) {
      const line = { atMs: Date.now(), ...given } as Line;
      writeSync(descriptor, `${JSON.stringify(line)}\n`);
      for (const listener of listeners) listener(line);
    },
    onLine: (listener) => void listeners.push(listener),
    close: () => closeSync(descriptor),
  };
}

export const readHistory = (file: string): Line[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

export interface Operation extends Omit<Call, 'server'> {
  /** Calls, with repetitions. */
  calls: number;
  /** What was acknowledged; two different ids are two payments. */
  readonly ids: Set<string>;
  refusal: string | undefined;
}

/** Every operation with what its client knows in the end. */
export function listOperations(lines: readonly Line[]): Map<number, Operation> {
  const operations = new Map<number, Operation>();
  for (const line of lines) {
    if (line.type === 'invoke') {
      const { op, work, from, to, amount } = line;
      const known = operations.get(op) ?? { op, work, from, to, amount, calls: 0, ids: new Set(), refusal: undefined };
      known.calls++;
      operations.set(op, known);
    } else if (line.type === 'ok') operations.get(line.op)!.ids.add(line.id);
    else if (line.type === 'fail') operations.get(line.op)!.refusal = line.code;
  }
  return operations;
}
