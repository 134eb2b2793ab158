import { write, writeSync } from 'node:fs';

/** Where log lines go. Writing never blocks and never throws, whatever becomes of the file or pipe behind it. */
export interface Lines {
  /** A whole line with its end. */
  write(line: string): void;
  /** How many lines were lost because nobody took them. */
  lost(): number;
  /** Writes what waits, as far as that goes without waiting. */
  flushSync(): void;
  /** The same, and nothing after it: the process ends. */
  close(): void;
}

/** Lines are collected for so long: one write for many of them costs a request nearly nothing. */
const COLLECT_MS = 5;
/** A full disk or a closed pipe is tried again after this. */
const RETRY_MS = 1_000;
const AGAIN_MS = 20;
/** Characters that wait at most; what comes then is counted and lost. */
const MAX_WAITING = 4_000_000;

interface LinesOptions {
  readonly retryMs?: number;
  readonly maxWaiting?: number;
}

/**
 * A log that cannot be written is no reason to stop paying people: a full disk, a closed pipe and a reader that does not
 * read only cost lines, after some megabytes have waited. When it goes on, a line says how many are missing.
 */
export function openLines(fd: number, { retryMs = RETRY_MS, maxWaiting = MAX_WAITING }: LinesOptions = {}): Lines {
  let waiting = '';
  let isBusy = false;
  /** What a failed write has left; undefined while a write is under way. */
  let left: Buffer | undefined;
  let lost = 0;
  let untold = 0;
  let isClosed = false;

  function begin(): void {
    if (waiting === '') {
      isBusy = false;
      return;
    }
    const text = untold > 0 ? `${tellLost(untold)}${waiting}` : waiting;
    untold = 0;
    waiting = '';
    put(Buffer.from(text));
  }

  function put(bytes: Buffer): void {
    if (isClosed) return;
    left = undefined;
    write(fd, bytes, (error, written) => {
      if (!error) {
        if (written < bytes.length) put(bytes.subarray(written));
        else if (waiting === '') isBusy = false;
        else setTimeout(begin, COLLECT_MS).unref();
        return;
      }
      left = bytes;
      setTimeout(() => put(left ?? bytes), error.code === 'EAGAIN' ? AGAIN_MS : retryMs).unref();
    });
  }

  function flushSync(): void {
    const bytes = Buffer.concat([left ?? Buffer.alloc(0), Buffer.from(waiting)]);
    waiting = '';
    if (left) left = Buffer.alloc(0);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } catch {
      // Nobody can be told.
    }
  }

  return {
    write(line) {
      if (waiting.length > maxWaiting) {
        lost++;
        untold++;
        return;
      }
      waiting += line;
      if (isBusy) return;
      isBusy = true;
      setTimeout(begin, COLLECT_MS).unref();
    },
    lost: () => lost,
    flushSync,
    close() {
      flushSync();
      isClosed = true;
    },
  };
}

const tellLost = (lines: number): string =>
  `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), pid: process.pid, lines, msg: 'lines of this log were lost: they could not be written' })}\n`;
