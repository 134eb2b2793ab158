/**
 * Millions of transfers, inserted directly, because the ledger's functions would take half an hour. The rows are as the
 * ledger would have written them: the person's entries are numbered without gaps, half of them sent and half received,
 * among rows of other people.
 */
import type { Db } from '../../server/src/db/database.ts';

interface History {
  readonly accountId: bigint;
  readonly others: readonly bigint[];
  written: number;
}

const CHUNK = 500_000;

export async function openHistory(db: Db, userId: string): Promise<History> {
  const accounts = await db.query<{ account_id: bigint; mine: boolean }>(
    `SELECT account_id, user_id = $1 AS mine FROM accounts WHERE kind = 'user' ORDER BY account_id`,
    [userId],
  );
  // Removes the deposits that funded these people.
  await db.query('ALTER TABLE transfers DISABLE TRIGGER ALL');
  await db.query('ALTER TABLE accounts DISABLE TRIGGER ALL');
  await db.query('DELETE FROM transfers');
  return {
    accountId: accounts.find(({ mine }) => mine)!.account_id,
    others: accounts.filter(({ mine }) => !mine).map(({ account_id }) => account_id),
    written: 0,
  };
}

/** Adds transfers until there are `size`. Row i belongs to the person when i is a multiple of ten. */
export async function fillHistory(db: Db, history: History, size: number): Promise<void> {
  const { accountId, others } = history;
  const indexes = await dropIndexes(db, size - history.written > CHUNK);
  while (history.written < size) {
    const last = Math.min(size, history.written + CHUNK);
    await db.query(
      `INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
         debit_available, credit_available, created_at, asset_id, kind, from_name, to_name)
       SELECT gen_random_uuid(), i,
              CASE WHEN mine AND i % 20 = 0 THEN $1::bigint ELSE a END,
              CASE WHEN mine AND i % 20 = 10 THEN $1::bigint ELSE b END,
              1000 + i % 1000000,
              CASE WHEN mine AND i % 20 = 0 THEN i / 10 ELSE i END,
              CASE WHEN mine AND i % 20 = 10 THEN i / 10 ELSE i END,
              1000000, 1000000, timestamptz '2026-01-01' + i * interval '1 second', 1, 'user', 'payer', 'payee'
         FROM (SELECT i, i % 10 = 0 AS mine, ($2::bigint[])[1 + (i * 7919) % $3::int] AS a,
                      ($2::bigint[])[1 + (i * 7919 + 1 + i % 97) % $3::int] AS b
                 FROM generate_series($4::bigint, $5::bigint) i) row`,
      [accountId, others, others.length, history.written + 1, last],
    );
    history.written = last;
  }
  for (const definition of indexes) await db.query(definition);
  await db.query('UPDATE accounts SET entries = $2 WHERE account_id = $1', [accountId, size / 10]);
  await db.query('VACUUM ANALYZE transfers');
  await db.query('CHECKPOINT');
}

/** Building the indexes after the rows takes a fifth of the time. */
async function dropIndexes(db: Db, worthIt: boolean): Promise<string[]> {
  if (!worthIt) return [];
  const rows = await db.query<{ indexname: string; indexdef: string }>(
    `SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'transfers' AND indexname <> 'transfers_pkey'`,
  );
  for (const { indexname } of rows) await db.query(`DROP INDEX ${indexname}`);
  return rows.map(({ indexdef }) => indexdef);
}
