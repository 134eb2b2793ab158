import type { Tx } from '../db/database.ts';

/** Locks the accounts in the order of their ids, which prevents deadlocks. Call it before several movements. */
export async function lockAccounts(tx: Tx, accountIds: readonly bigint[]): Promise<void> {
  await tx.query('SELECT ledger_lock_accounts($1)', [accountIds]);
}
