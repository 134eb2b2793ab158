-- Finds the accounts from `p_first` to `p_last` whose balance differs from the balance after their last movement.
CREATE OR REPLACE FUNCTION books_account_faults(p_first bigint, p_last bigint)
RETURNS TABLE (asset_id smallint, account_id bigint, fault text) LANGUAGE sql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
  SELECT f.asset_id, f.account_id, f.fault FROM (
    SELECT a.asset_id, a.account_id, CASE
        WHEN a.after IS NULL THEN format('its last movement, number %s, is missing', a.entries)
        WHEN a.available <> a.after THEN format('it has %s available, and its last movement leaves %s', a.available, a.after)
        WHEN a.held <> a.held_after THEN format('it holds %s, and its movements leave %s', a.held, a.held_after)
      END AS fault
      FROM (SELECT x.asset_id, x.account_id, x.available, x.held, x.entries,
                   CASE WHEN x.entries = 0 THEN 0 ELSE coalesce(
                     (SELECT CASE WHEN t.debit_account = x.account_id THEN t.debit_available ELSE t.credit_available END
                        FROM transfers t WHERE t.seq = x.last_seq AND x.last_entry = x.entries
                         AND ((t.debit_account = x.account_id AND t.debit_entry = x.entries)
                           OR (t.credit_account = x.account_id AND t.credit_entry = x.entries))),
                     books_balance_after(x.account_id, x.entries)) END AS after,
                   books_held_before(x.account_id, x.entries + 1) AS held_after
              FROM accounts x WHERE x.account_id BETWEEN p_first AND p_last OFFSET 0) a) f
   WHERE f.fault IS NOT NULL
$$;
