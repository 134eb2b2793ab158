import type { Queryable } from '../db/database.ts';

interface Books {
  readonly accounts: number;
  readonly transfers: number;
  /** Descriptions of what is wrong; empty if the books balance. */
  readonly faults: readonly string[];
}

/**
 * Recomputes every balance from history and compares: sums per asset, balances, held amounts, the balance after every
 * row, entry numbers without gaps, whether each row links to the previous one, and that no id was used twice. It uses one
 * snapshot, so it is correct under load; it reads everything, so it is for tests and audits.
 */
export async function checkBooks(db: Queryable): Promise<Books> {
  const [row] = await db.query<{ accounts: number; transfers: number; faults: string[] | null }>(`
    WITH legs AS (
      SELECT t.debit_account AS account_id, t.debit_entry AS entry, t.debit_available AS after,
             CASE t.kind WHEN 'release' THEN t.amount WHEN 'post' THEN h.amount - t.amount ELSE -t.amount END AS moved,
             CASE t.kind WHEN 'hold' THEN t.amount WHEN 'post' THEN -h.amount WHEN 'release' THEN -t.amount ELSE 0 END
               AS held, t.asset_id, t.seq, t.debit_prev AS prev,
             t.debit_prev IS NULL OR t.debit_entry % 32 = 0 OR t.kind <> 'user' AS is_found
        FROM transfers t LEFT JOIN transfers h ON h.transfer_id = t.hold_id AND h.kind = 'hold'
      UNION ALL
      SELECT credit_account, credit_entry, credit_available, amount, 0, asset_id, seq, credit_prev,
             credit_prev IS NULL OR credit_entry % 32 = 0 OR kind <> 'user'
        FROM transfers
       WHERE credit_entry IS NOT NULL
    ), walked AS (
      SELECT *, sum(moved) OVER w AS balance, row_number() OVER w AS nth,
             CASE WHEN prev IS NULL THEN lag(is_found, 1, true) OVER w ELSE prev IS NOT DISTINCT FROM lag(seq) OVER w END
               AS is_followed
        FROM legs WINDOW w AS (PARTITION BY account_id ORDER BY entry)
    ), sums AS (
      SELECT account_id, sum(moved) AS available, sum(held) AS held, count(*) AS entries,
             bool_and(after = balance AND entry = nth) AS unbroken, bool_and(is_followed) IS TRUE AS followed,
             (array_agg(seq ORDER BY entry DESC))[1] AS last_seq, min(asset_id) AS low, max(asset_id) AS high
        FROM walked GROUP BY account_id
    ), faults AS (
      SELECT format('account %s does not follow from its history', coalesce(a.account_id, s.account_id)) AS fault
        FROM accounts a FULL JOIN sums s USING (account_id)
       WHERE a.account_id IS NULL OR a.available <> coalesce(s.available, 0) OR a.held <> coalesce(s.held, 0)
          OR a.entries <> coalesce(s.entries, 0) OR s.unbroken IS FALSE OR s.low <> a.asset_id OR s.high <> a.asset_id
      UNION ALL
      SELECT format('the history of account %s cannot be followed', account_id)
        FROM accounts a JOIN sums s USING (account_id)
       WHERE NOT s.followed OR (a.last_entry = a.entries AND a.last_seq IS DISTINCT FROM s.last_seq)
      UNION ALL
      SELECT format('asset %s sums to %s', asset_id, sum(available + held)) FROM accounts
       GROUP BY asset_id HAVING sum(available + held) <> 0
      UNION ALL
      SELECT format('the id %s was given twice', transfer_id) FROM transfers GROUP BY transfer_id HAVING count(*) > 1
    )
    SELECT (SELECT count(*)::int FROM accounts) AS accounts, (SELECT count(*)::int FROM transfers) AS transfers,
           (SELECT array_agg(fault) FROM faults) AS faults`);
  return { accounts: row!.accounts, transfers: row!.transfers, faults: row!.faults ?? [] };
}
