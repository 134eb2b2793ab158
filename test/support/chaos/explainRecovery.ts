/** What each recovery waited for, in the order of time. */
import type { Line } from './history.ts';

/** One kill after which the service worked again. All times are those of the history. */
export interface Recovered {
  /** What it is counted as. */
  readonly kind: string;
  readonly name: string;
  readonly killMs: number;
  readonly goneMs: number;
  /** When the clock of the recovery starts. */
  readonly fromMs: number;
  readonly recoveredMs: number;
}

/** When a send got to each step, as its rows in SQL say. */
export interface SendSteps {
  readonly reserved: number | null;
  /** Its relay transaction was decided, so its authorization was signed before. */
  readonly authorized: number | null;
  /** Its relay transaction was signed. */
  readonly signed: number | null;
  readonly broadcast: number | null;
}

/** In milliseconds, without those that took none. */
export type Waits = ReadonlyMap<string, number>;

/** Until the first call that counts was made, and each later step of that call. */
export function explainRecovery(
  { kind, name, killMs, goneMs, fromMs, recoveredMs }: Recovered,
  lines: readonly Line[],
  sends: ReadonlyMap<string, SendSteps>,
): Waits {
  const marks: [what: string, untilMs: number | null | undefined][] = [];
  const first = (type: 'started' | 'ready', afterMs: number) =>
    lines.find((line) => line.type === type && line.what === name && line.atMs >= afterMs)?.atMs;
  const isSend = kind === 'worker' || kind === 'signer';
  // The other worker continues, and does not wait for the killed one.
  if (kind !== 'worker') {
    const startedMs = first('started', killMs) ?? goneMs;
    marks.push(['restart', startedMs], ['start', first('ready', Math.max(startedMs, goneMs))]);
  }
  const call = findCall(lines, sends, goneMs, isSend, kind === 'server' ? name : undefined);
  if (call) {
    marks.push(['next call', call.invokedMs], ['answer', call.okMs]);
    if (isSend)
      for (const [step, atMs] of Object.entries(sends.get(call.id) ?? {})) marks.push([step, atMs as number | null]);
  }
  marks.push(['noticed', recoveredMs]);
  const waits = new Map<string, number>();
  let lastMs = fromMs;
  for (const [what, atMs] of marks) {
    if (atMs === null || atMs === undefined || atMs <= lastMs) continue;
    waits.set(what, Math.round(atMs - lastMs));
    lastMs = atMs;
  }
  return waits;
}

interface CountingCall {
  readonly id: string;
  readonly invokedMs: number;
  readonly okMs: number;
}

/** The call that ended the recovery: of sends the one that was broadcast first, of payments the one answered first. */
function findCall(
  lines: readonly Line[],
  sends: ReadonlyMap<string, SendSteps>,
  goneMs: number,
  isSend: boolean,
  server: string | undefined,
): CountingCall | undefined {
  const invoked = new Map<number, number>();
  let best: (CountingCall & { readonly endMs: number }) | undefined;
  for (const line of lines) {
    if (line.atMs < goneMs) continue;
    if (best && line.atMs > best.endMs) break;
    if (line.type === 'invoke' && line.work === (isSend ? 'send' : 'pay') && (server ?? line.server) === line.server)
      invoked.set(line.op, line.atMs);
    if (line.type !== 'ok' || (server ?? line.server) !== line.server) continue;
    const invokedMs = invoked.get(line.op);
    const endMs = isSend ? (sends.get(line.id)?.broadcast ?? undefined) : line.atMs;
    if (invokedMs === undefined || endMs === undefined || (best && best.endMs <= endMs)) continue;
    best = { id: line.id, invokedMs, okMs: line.atMs, endMs };
  }
  return best;
}
