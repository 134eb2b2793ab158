import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../../server/src/db/database.ts';

const PATIENCE_MS = 120_000;

/**
 * Waits until every committed event can be read. Transactions of tests in other databases of the same PostgreSQL hold
 * events back for a moment. Scripts call it too, so it needs no test runner.
 */
export async function settleFeed(db: Queryable): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(50)) {
    const [row] = await db.query<{ unsettled: boolean }>(
      'SELECT EXISTS (SELECT FROM feed WHERE seq >= ledger_settled_seq()) AS unsettled',
    );
    if (!row!.unsettled) return;
    if (Date.now() > until) throw new Error('events are held back by a database transaction that does not end');
  }
}
