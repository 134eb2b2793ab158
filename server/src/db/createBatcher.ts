import { setTimeout as sleep } from 'node:timers/promises';
import { PayError } from '../core/errors.ts';

/**
 * Collects concurrent commands while the previous commit is in progress and runs them in one round trip, with one
 * outcome per command. Nothing waits for more commands: a single command runs at the end of the current turn of the
 * event loop, if no other batch is in progress.
 */
export interface Batcher<Command, Outcome> {
  submit(command: Command): Promise<Outcome>;
  /** Refuses new commands and waits for the accepted ones. */
  close(): Promise<void>;
}

interface BatcherOptions<Command, Outcome> {
  /** How many batches may run concurrently, each on its own connection. */
  readonly concurrency: number;
  /**
   * How many commands have to wait before another batch starts while one is in progress, unless that one is slow. A batch
   * costs PostgreSQL about as much as ten payments, so splitting a few over all connections wastes its time (decision 22).
   * Default: 1.
   */
  readonly spreadFrom?: number;
  /** Runs a batch on one of the connections. Running a command again must change nothing. */
  readonly run: (slot: number, commands: readonly Command[]) => Promise<Outcome[]>;
  /** Whether the batch failed because of concurrent work (for example a deadlock) and can simply run again. */
  readonly isConflict: (error: unknown) => boolean;
  /** Called once for every command, just before its promise settles. Must not throw. */
  readonly onSettled?: (command: Command) => void;
  readonly maxBatch?: number;
  readonly maxQueue?: number;
  /** How long a command may wait for an unreachable database. Default: `PATIENCE_MS`. */
  readonly giveUpAfterMs?: number;
}

interface Job<Command, Outcome> {
  readonly command: Command;
  readonly deadlineMs: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

const CONFLICT_ATTEMPTS = 5;

/** A batch that takes longer may wait for a lock that others do not need, so commands no longer wait for it. */
const SLOW_MS = 5;

/**
 * How long a call waits for an unreachable database before it is answered with 503 and `Retry-After`. Everything that
 * needs the database uses the same value, so a switchover of a second or two only delays the answer.
 */
export const PATIENCE_MS = 5_000;

export function createBatcher<Command, Outcome>(options: BatcherOptions<Command, Outcome>): Batcher<Command, Outcome> {
  const { maxBatch = 500, maxQueue = 10_000, giveUpAfterMs = PATIENCE_MS, onSettled, spreadFrom = 1 } = options;
  type Jobs = Job<Command, Outcome>[];
  const idle = Array.from({ length: options.concurrency }, (_, slot) => slot);
  let queue: Jobs = [];
  let underWay = 0;
  let scheduled = false;
  let closing = false;
  let drained: (() => void) | undefined;
  let impatient: NodeJS.Timeout | undefined;
  let begunMs = 0;

  function schedule(): void {
    if (scheduled || idle.length === 0 || queue.length === 0) return;
    scheduled = true;
    // Run at the end of this turn of the event loop, so that all commands of the turn are in one batch.
    setImmediate(() => {
      scheduled = false;
      while (idle.length > 0 && queue.length > 0) {
        const patienceMs = begunMs + SLOW_MS - performance.now();
        if (underWay > 0 && queue.length < spreadFrom && patienceMs > 0) {
          impatient ??= setTimeout(startNext, patienceMs);
          return;
        }
        startNext();
      }
    });
  }

  function startNext(): void {
    clearTimeout(impatient);
    impatient = undefined;
    if (idle.length > 0 && queue.length > 0) start(idle.pop()!);
  }

  function start(slot: number): void {
    // Take this connection's fair share of all commands that are waiting or in progress. Taking everything that waits
    // would starve the other connections; dividing only what waits makes batches ever smaller (92 instead of 64 µs of
    // PostgreSQL per payment).
    const all = queue.length + underWay;
    const size = Math.min(maxBatch, all < spreadFrom ? all : Math.ceil(all / options.concurrency));
    const jobs = queue.slice(0, size);
    queue = queue.slice(size);
    underWay += jobs.length;
    begunMs = performance.now();
    void work(slot, jobs).finally(() => {
      underWay -= jobs.length;
      idle.push(slot);
      if (queue.length > 0) schedule();
      else if (closing && idle.length === options.concurrency) drained?.();
    });
  }

  async function work(slot: number, jobs: Jobs): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const outcomes = await options.run(
          slot,
          jobs.map((job) => job.command),
        );
        for (let i = 0; i < jobs.length; i++) {
          onSettled?.(jobs[i]!.command);
          jobs[i]!.resolve(outcomes[i]!);
        }
        return;
      } catch (error) {
        const away = error instanceof PayError && error.code === 'service.unavailable';
        // The connection died, perhaps after the commit. The same ids run again and wait for the locks of the lost run.
        if (away && performance.now() < jobs[0]!.deadlineMs) await sleep(Math.min(20 * 2 ** attempt, 500));
        else if (!away && attempt < CONFLICT_ATTEMPTS && options.isConflict(error)) {
          await sleep(Math.random() * 5 * attempt);
        } else if (away || jobs.length === 1) {
          for (const job of jobs) {
            onSettled?.(job.command);
            job.reject(error);
          }
          return;
        } else {
          // One of the commands cannot run. Halving the batch isolates it, and the others succeed.
          const middle = Math.ceil(jobs.length / 2);
          await work(slot, jobs.slice(0, middle));
          await work(slot, jobs.slice(middle));
          return;
        }
      }
    }
  }

  return {
    submit(command) {
      if (closing || queue.length >= maxQueue) {
        onSettled?.(command);
        return Promise.reject(new PayError('service.overloaded', { retry_after_seconds: 1 }));
      }
      return new Promise((resolve, reject) => {
        queue.push({ command, resolve, reject, deadlineMs: performance.now() + giveUpAfterMs });
        schedule();
      });
    },
    async close() {
      closing = true;
      if (queue.length === 0 && idle.length === options.concurrency) return;
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    },
  };
}
