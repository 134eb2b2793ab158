import type { Tx } from '../db/database.ts';

/** Locks the accounts in the order of their ids, which prevents deadlocks. Call it before several movements. */
export async function lockAccounts(tx: Tx, accountIds: readonly bigint[]): Promise<void> {
  await tx.query('SELECT ledger_lock_accounts($1)', [accountIds]);
}

/**
 * Locks all accounts of one person, before their sessions. A payment between people compares its session while it has the
 * payer's account locked. So after this lock, every payment of an earlier comparison is committed, and every later comparison
 * waits for this transaction.
 */
export async function lockAccountsOf(tx: Tx, userId: string): Promise<void> {
  await tx.query('SELECT ledger_lock_accounts(ARRAY(SELECT account_id FROM accounts WHERE user_id = $1))', [userId]);
}
