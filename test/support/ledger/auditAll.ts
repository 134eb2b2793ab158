/** Runs the continuous audit without its pauses, until it has nothing left to find. */
import { auditCycle } from '../../../server/src/custody/books/auditCycle.ts';
import { auditTail } from '../../../server/src/custody/books/auditTail.ts';
import { listFaults } from '../../../server/src/custody/books/recordFaults.ts';
import type { Db } from '../../../server/src/db/database.ts';

export async function catchUp(db: Db, rows?: number): Promise<void> {
  while (!(await auditTail(db, rows)).isAtHead);
}

async function runCycle(db: Db): Promise<void> {
  while (!(await auditCycle(db, 10_000, 0)).ended);
}

/** Compares, and reads everything twice: after a cycle that finds something, the next one names it. */
export async function auditAll(db: Db): Promise<string[]> {
  await catchUp(db);
  await runCycle(db);
  await runCycle(db);
  await catchUp(db);
  return (await listFaults(db)).map(({ subject, fault }) => `${subject}: ${fault}`);
}
