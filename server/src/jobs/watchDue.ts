import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../db/database.ts';

/** Tells loops that wait for work when there is some. */
export interface DueJobs {
  /** Resolves when a job of this kind is due, or `signal` is aborted. Rejects if the database does not answer. */
  wait(kind: string, signal: AbortSignal): Promise<void>;
}

interface Waiting {
  readonly kind: string;
  end(error?: Error): void;
}

const POLL_MS = 100;

/**
 * Asks once per `pollMs` for all kinds that someone waits for. A worker has dozens of loops; when each polled by itself, an
 * idle worker made hundreds of statements per second.
 */
export function watchDue(db: Queryable, pollMs = POLL_MS): DueJobs {
  const waiting = new Set<Waiting>();
  let isPolling = false;

  async function poll(): Promise<void> {
    const kinds = [...new Set([...waiting].map(({ kind }) => kind))];
    const rows = await db.query<{ kind: string }>(
      `SELECT kind FROM unnest($1::text[]) AS k(kind)
        WHERE EXISTS (SELECT FROM jobs j WHERE j.kind = k.kind AND j.run_at <= now())`,
      [kinds],
    );
    const due = new Set(rows.map(({ kind }) => kind));
    for (const one of waiting) if (due.has(one.kind)) one.end();
  }

  async function pollWhileWaiting(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    while (waiting.size > 0) {
      await sleep(pollMs);
      if (waiting.size > 0)
        await poll().catch((error: Error) => {
          for (const one of waiting) one.end(error);
        });
    }
    isPolling = false;
  }

  return {
    wait: (kind, signal) =>
      new Promise<void>((resolve, reject) => {
        const one: Waiting = {
          kind,
          end(error) {
            waiting.delete(one);
            signal.removeEventListener('abort', stop);
            if (error) reject(error);
            else resolve();
          },
        };
        const stop = () => one.end();
        if (signal.aborted) return resolve();
        signal.addEventListener('abort', stop);
        waiting.add(one);
        void pollWhileWaiting();
      }),
  };
}
