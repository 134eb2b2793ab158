/** Adds up every account again, entry by entry, from the rows of the ledger, and finds balances below zero. */
import type pg from 'pg';

interface Entry {
  readonly username: string;
  readonly amount: string;
}

/**
 * A hold takes its amount from the available balance of the debited account, a release gives it back, and a post
 * changes nothing any more.
 */
const ENTRIES = `
  SELECT n.username, e.entry, e.amount
    FROM (SELECT debit_account AS account_id, debit_entry AS entry,
                 CASE kind WHEN 'release' THEN amount WHEN 'post' THEN 0 ELSE -amount END AS amount
            FROM transfers
           UNION ALL
          SELECT credit_account, credit_entry, amount FROM transfers WHERE credit_entry IS NOT NULL) e
    JOIN accounts a USING (account_id)
    JOIN usernames n ON n.user_id = a.user_id
   ORDER BY n.username, a.account_id, e.entry`;

interface Recomputed {
  readonly balances: ReadonlyMap<string, number>;
  /** Balances below zero, at any time. */
  readonly below: readonly string[];
  /** Stored balances that are not the sum of their entries. */
  readonly different: readonly string[];
}

export async function recompute(client: pg.Client): Promise<Recomputed> {
  const { rows } = await client.query<Entry>(ENTRIES);
  const balances = new Map<string, number>();
  const below: string[] = [];
  const different: string[] = [];
  for (const { username, amount } of rows) {
    const balance = (balances.get(username) ?? 0) + Number(amount);
    balances.set(username, balance);
    if (balance < 0) below.push(`${username} had ${balance} at some time`);
  }
  const { rows: stored } = await client.query<{ username: string; available: string; held: string }>(
    `SELECT n.username, a.available, a.held FROM accounts a JOIN usernames n USING (user_id)
      WHERE a.available <> 0 OR a.held <> 0 OR a.entries > 0`,
  );
  for (const { username, available, held } of stored) {
    if (Number(available) < 0 || Number(held) < 0) below.push(`${username} has ${available}, and ${held} on hold`);
    if (Number(available) !== balances.get(username))
      different.push(`${username} has ${available}, and the entries add up to ${balances.get(username)}`);
  }
  return { balances, below, different };
}
