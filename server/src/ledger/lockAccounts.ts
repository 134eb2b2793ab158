import type { Tx } from '../db/database.ts';

/** Locks the accounts in the order of their ids, which prevents deadlocks. Call it before several movements. */
export async function lockAccounts(tx: Tx, accountIds: readonly bigint[]): Promise<void> {
  await tx.query('SELECT ledger_lock_accounts($1)', [accountIds]);
}

/**
 * Locks all accounts of one person, before their sessions. A payment between people compares its session while it holds
 * the lock of the payer's account. So once this lock is held, payments that have already compared their session are
 * committed, and later ones wait for this transaction.
 */
export async function lockAccountsOf(tx: Tx, userId: string): Promise<void> {
  await tx.query('SELECT ledger_lock_accounts(ARRAY(SELECT account_id FROM accounts WHERE user_id = $1))', [userId]);
}
