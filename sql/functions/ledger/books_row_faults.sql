-- Finds what is wrong with the movements after `p_after` up to `p_upto`. It checks each movement on its own
-- (`books_fault`), and compares it in both accounts with the previous movement, which is in the same range or is found
-- by its `seq` or number. It is many times slower than `books_rows`, which reports only that something is wrong.
--
-- If two movements of an account have the same number, the account's history contains one of them (`ledger_entries`),
-- and this reports the other. With `p_walks` it also finds duplicates of much older movements.
CREATE OR REPLACE FUNCTION books_row_faults(p_after bigint, p_upto bigint, p_walks boolean)
RETURNS TABLE (asset_id smallint, transfer_id uuid, seq bigint, fault text) LANGUAGE sql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
  SET max_parallel_workers_per_gather = 0 AS $$
  WITH part AS MATERIALIZED (
    SELECT t.*, CASE WHEN t.debit_held IS NULL THEN -greatest(t.amount, 0) ELSE (books_moved(t)).available END AS change,
           CASE WHEN t.debit_held IS NOT NULL THEN (books_moved(t)).held END AS held_change,
           CASE WHEN t.debit_held IS NOT NULL OR (t.amount > 0 AND t.debit_account <> t.credit_account
             AND t.credit_entry > 0 AND t.debit_entry > 0 AND t.credit_available IS NOT NULL AND t.hold_id IS NULL
             AND t.kind IN ('user', 'deposit', 'internal') AND greatest(t.amount, t.debit_available, t.credit_available)
             <= 1152921504606846976) IS NOT TRUE THEN books_fault(t) END AS fault
      FROM transfers t WHERE t.seq > p_after AND t.seq <= p_upto
  ), legs AS (
    SELECT p.asset_id, p.transfer_id, p.seq, p.debit_account AS account_id, p.debit_entry AS entry, p.debit_available AS after,
           p.change, p.debit_prev AS prev FROM part p
    UNION ALL
    SELECT p.asset_id, p.transfer_id, p.seq, p.credit_account, p.credit_entry, p.credit_available, p.amount, p.credit_prev
      FROM part p WHERE p.credit_entry IS NOT NULL
  ), walked AS (
    SELECT *, lag(l.entry) OVER w AS lag_entry, lag(l.after) OVER w AS lag_after, lead(l.entry) OVER w AS next_entry
      FROM legs l WINDOW w AS (PARTITION BY l.account_id ORDER BY l.entry, l.seq)
  ), compared AS (
    SELECT w.*, a.asset_id AS account_asset, a.entries, CASE WHEN w.entry = 1 THEN 0
             WHEN w.lag_entry = w.entry - 1 THEN w.lag_after
             ELSE coalesce((SELECT CASE WHEN t.debit_account = w.account_id THEN t.debit_available ELSE t.credit_available END
                              FROM transfers t WHERE t.seq = w.prev
                               AND ((t.debit_account = w.account_id AND t.debit_entry = w.entry - 1)
                                 OR (t.credit_account = w.account_id AND t.credit_entry = w.entry - 1))),
                           books_balance_after(w.account_id, w.entry - 1)) END AS before
      FROM walked w LEFT JOIN accounts a ON a.account_id = w.account_id
  ), faults AS (
    SELECT p.asset_id, p.transfer_id, p.seq, p.fault FROM part p WHERE p.fault IS NOT NULL
    UNION ALL
    SELECT c.asset_id, c.transfer_id, c.seq, CASE
        WHEN c.account_asset IS NULL THEN format('account %s does not exist', c.account_id)
        WHEN c.account_asset <> c.asset_id THEN format('account %s does not have asset %s', c.account_id, c.asset_id)
        WHEN (p_walks OR c.entry IN (c.lag_entry, c.next_entry)) IS TRUE AND books_is_doubled(c.account_id, c.entry, c.seq)
          THEN format('account %s has another movement with the number %s', c.account_id, c.entry)
        WHEN c.entry > c.entries THEN format('account %s has had only %s movements, and this is its number %s', c.account_id,
          c.entries, c.entry)
        WHEN c.before IS NULL THEN format('before it, movement %s of account %s is missing', c.entry - 1, c.account_id)
        WHEN (c.before::numeric + c.change = c.after) IS NOT TRUE THEN
          format('account %s had %s before it and has %s after it, and it moves %s', c.account_id, c.before, c.after, c.change)
      END FROM compared c
    UNION ALL
    SELECT h.asset_id, h.transfer_id, h.seq, CASE WHEN (h.before::numeric + h.held_change = h.debit_held) IS NOT TRUE THEN
             format('account %s held %s before it and holds %s after it, and it moves %s', h.debit_account, h.before, h.debit_held,
               h.held_change) END
      FROM (SELECT p.*, books_held_before(p.debit_account, p.debit_entry) AS before FROM part p
             WHERE p.debit_held IS NOT NULL) h
  )
  SELECT DISTINCT ON (f.seq) f.asset_id, f.transfer_id, f.seq, f.fault FROM faults f WHERE f.fault IS NOT NULL ORDER BY f.seq
$$;
