/**
 * When the service has recovered from a kill. The clock starts at the kill, or when the link that was disturbed during
 * it is restored. It ends
 * - after the kill of a server: when that server, restarted, acknowledges a payment;
 * - after the kill of PostgreSQL: when any server acknowledges a payment;
 * - after the kill of a worker or of the signer: when a send that was requested after the kill is signed and broadcast.
 * Only calls made after the killed process was gone count.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { History } from './history.ts';

export const LONGEST_RECOVERY_MS = 60_000;
const POLL_EVERY_MS = 25;

export interface Recovery {
  /** Resolves when a payment that was invoked after `goneMs` is acknowledged, by this server if one is given. */
  untilPaid(goneMs: number, server?: string): Promise<boolean>;
  /** Resolves when a send that was invoked after `goneMs` has a transaction. */
  untilSent(goneMs: number): Promise<boolean>;
  /** Resolves when PostgreSQL answers. */
  untilAnswering(): Promise<boolean>;
  close(): Promise<void>;
}

export function watchRecovery(history: History, databaseUrl: string): Recovery {
  // A new connection for each question would cost as much processor time as a payment.
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => {});
  const invokedMs = new Map<number, number>();
  /** Per server: when the youngest acknowledged payment was invoked. */
  const paidMs = new Map<string, number>();
  /** Acknowledged sends, youngest last. */
  const sends: { readonly id: string; readonly invokedMs: number }[] = [];
  const works = new Map<number, string>();
  history.onLine((line) => {
    if (line.type === 'invoke') {
      invokedMs.set(line.op, line.atMs);
      works.set(line.op, line.work);
    }
    if (line.type !== 'ok') return;
    const at = invokedMs.get(line.op)!;
    const work = works.get(line.op);
    if (work === 'send') sends.push({ id: line.id, invokedMs: at });
    if (work === 'pay') paidMs.set(line.server, Math.max(at, paidMs.get(line.server) ?? 0));
  });

  async function until(check: () => boolean | Promise<boolean>): Promise<boolean> {
    for (const endMs = Date.now() + LONGEST_RECOVERY_MS; Date.now() < endMs; await sleep(POLL_EVERY_MS))
      if (await check()) return true;
    return false;
  }

  return {
    untilPaid: (goneMs, server) =>
      until(() => [...paidMs].some(([name, at]) => at >= goneMs && (server ?? name) === name)),
    untilSent: (goneMs) =>
      until(async () => {
        const ids = sends.filter((send) => send.invokedMs >= goneMs).map(({ id }) => id);
        return ids.length > 0 && (await countBroadcast(pool, ids)) > 0;
      }),
    untilAnswering: () =>
      until(() =>
        pool.query('SELECT 1').then(
          () => true,
          () => false,
        ),
      ),
    close: () => pool.end(),
  };
}

/** 0 while PostgreSQL does not answer. */
async function countBroadcast(pool: pg.Pool, ids: readonly string[]): Promise<number> {
  const question = 'SELECT count(*)::int AS sent FROM payments WHERE payment_id = ANY ($1) AND tx_hash IS NOT NULL';
  const answer = await pool.query<{ sent: number }>(question, [ids]).catch(() => undefined);
  return answer?.rows[0]?.sent ?? 0;
}
