import { write, writeSync } from 'node:fs';

/** Writes log lines. Writing never blocks and never throws, even if the file or pipe behind it fails. */
export interface Lines {
  /** A complete line, including its line end. */
  write(line: string): void;
  /** The number of lines lost because they could not be written. */
  lost(): number;
  /** Writes the waiting lines as far as possible without blocking. */
  flushSync(): void;
  /** Does the same and accepts no more lines: the process ends. */
  close(): void;
}

/** Lines are collected for this long: one write for many lines costs a request nearly nothing. */
const COLLECT_MS = 5;
/** The delay before retrying a full disk or a closed pipe. */
const RETRY_MS = 1_000;
const AGAIN_MS = 20;
/** The most characters that wait; further lines are counted and dropped. */
const MAX_WAITING = 4_000_000;

interface LinesOptions {
  readonly retryMs?: number;
  readonly maxWaiting?: number;
}

/**
 * A log that cannot be written must not stop payments. A full disk, a closed pipe or a stalled reader only loses lines,
 * after some megabytes have been buffered. When writing works again, a line says how many are missing.
 */
export function openLines(fd: number, { retryMs = RETRY_MS, maxWaiting = MAX_WAITING }: LinesOptions = {}): Lines {
  let waiting = '';
  let isBusy = false;
  /** The rest of a failed write; undefined while a write is running. */
  let left: Buffer | undefined;
  let lost = 0;
  let unreported = 0;
  let isClosed = false;

  function begin(): void {
    if (waiting === '') {
      isBusy = false;
      return;
    }
    const text = unreported > 0 ? `${reportLost(unreported)}${waiting}` : waiting;
    unreported = 0;
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
      // There is nowhere left to report this.
    }
  }

  return {
    write(line) {
      if (waiting.length > maxWaiting) {
        lost++;
        unreported++;
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

const reportLost = (lines: number): string =>
  `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), pid: process.pid, lines, msg: 'lines of this log were lost: they could not be written' })}\n`;
