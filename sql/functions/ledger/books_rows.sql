-- Adds up `p_limit` movements after `p_after`, up to `p_upto`, per asset. Returns separate sums for movements below
-- `p_settled` and for later ones, the movements that break a rule on their own (`books_fault`), and the last `seq`
-- read. Payments between people, deposits and internal movements do not change held amounts. They need no further reads
-- and cost less than a microsecond each.
CREATE OR REPLACE FUNCTION books_rows(p_seed bigint, p_after bigint, p_upto bigint, p_settled bigint, p_limit bigint)
RETURNS TABLE (asset_id smallint, rows bigint, last_seq bigint, settled numeric, open numeric, broken bigint[])
LANGUAGE sql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
  SET max_parallel_workers_per_gather = 0 AS $$
  SELECT x.asset_id, count(*), max(x.seq), coalesce(sum(x.hash) FILTER (WHERE x.seq < p_settled), 0),
         coalesce(sum(x.hash) FILTER (WHERE x.seq >= p_settled), 0), array_agg(x.seq) FILTER (WHERE x.is_broken)
    FROM (
      SELECT t.asset_id, t.seq, t.is_broken OR t.is_absurd AS is_broken,
             CASE WHEN t.is_absurd THEN 0 ELSE books_hash(p_seed, t.debit_account, t.debit_entry, t.debit_after)
               - books_hash(p_seed, t.debit_account, t.debit_entry - 1, t.debit_after - t.change)
               + CASE WHEN t.credit_entry IS NULL THEN 0
                   ELSE books_hash(p_seed, t.credit_account, t.credit_entry, t.credit_after)
                     - books_hash(p_seed, t.credit_account, t.credit_entry - 1, t.credit_after - t.amount) END
               + CASE WHEN t.held_after IS NULL THEN 0
                   ELSE books_held_hash(p_seed, t.debit_account, t.held_after)
                     - books_held_hash(p_seed, t.debit_account, t.held_after - t.held_change) END END AS hash
        FROM (
          -- A stored value that cannot be an amount must not make the sum fail. It is reported instead.
          SELECT r.asset_id, r.seq, r.debit_account, r.debit_entry, r.credit_account, r.credit_entry,
                 r.debit_available AS debit_after, r.credit_available AS credit_after, r.debit_held AS held_after, r.amount,
                 (r.amount BETWEEN 1 AND 1152921504606846976
                   AND r.debit_available BETWEEN -1152921504606846976 AND 1152921504606846976
                   AND coalesce(r.credit_available, 0) BETWEEN -1152921504606846976 AND 1152921504606846976
                   AND coalesce(r.debit_held, 0) BETWEEN -1152921504606846976 AND 1152921504606846976) IS NOT TRUE AS is_absurd,
                 CASE WHEN r.debit_held IS NULL THEN -greatest(r.amount, 0) ELSE (books_moved(r)).available END AS change,
                 CASE WHEN r.debit_held IS NOT NULL THEN (books_moved(r)).held END AS held_change,
                 CASE WHEN r.debit_held IS NULL
                   THEN (r.amount > 0 AND r.debit_account <> r.credit_account AND r.credit_entry IS NOT NULL
                     AND r.hold_id IS NULL AND (r.kind = 'user' OR r.kind IN ('deposit', 'internal'))) IS NOT TRUE
                   ELSE books_fault(r) IS NOT NULL END AS is_broken
            FROM transfers r WHERE r.seq > p_after AND r.seq <= p_upto ORDER BY r.seq LIMIT p_limit) t) x
   GROUP BY x.asset_id
$$;
