/** The audit as a worker runs it, in a separate process, for `bench/audit.ts`. `go` and `rest` start and stop it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { auditTail } from '../../server/src/custody/books/auditTail.ts';
import { openAuditor } from '../../server/src/custody/books/openAuditor.ts';
import { openDatabase } from '../../server/src/db/database.ts';

const [, , databaseUrl = ''] = process.argv;
const db = openDatabase(databaseUrl, { maxConnections: 1, statementTimeoutMs: 600_000 });
const audit = openAuditor(db);
let isRunning = false;
let working: Promise<void> = Promise.resolve();

async function work(): Promise<void> {
  while (isRunning) await sleep(Math.min(await audit(), 200));
}

process.on('message', async (wish: 'go' | 'rest') => {
  if (wish === 'go') {
    // Payments made while it rested do not count against the next round.
    while (!(await auditTail(db)).isAtHead);
    isRunning = true;
    working = work();
  } else {
    isRunning = false;
    await working;
  }
  process.send!(wish);
});
process.on('disconnect', () => process.exit(0));
