import type { DedicatedConnection, Statement } from '../db/openDedicatedConnection.ts';
import type { Epoch } from '../ledger/epoch.ts';

const NOTE: Statement = {
  name: 'note_restore',
  // By the database's clock: this machine's clock may be an hour off.
  text: `SELECT note_restore($1, clock_timestamp() - $2::double precision * interval '1 millisecond')`,
};
const REBASE: Statement = { name: 'rebase', text: 'SELECT ledger_rebase()' };

/**
 * This process has seen the database in this epoch, but the database has never been in it: commits were lost, by a
 * failover or because a backup was restored while this process was running.
 */
export async function noteLoss(
  connection: DedicatedConnection,
  what: 'names' | 'sessions',
  { seenAtMs, counter }: Epoch,
): Promise<void> {
  const reason = `a running process remembers epoch ${counter} of ${what}, which this database has never been in`;
  await connection.run(NOTE, [reason, String(performance.now() - seenAtMs)]);
  await connection.run(REBASE, []);
}
