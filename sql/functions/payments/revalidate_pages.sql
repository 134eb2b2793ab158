-- Checks many cached pages of history and returns what is new. Page i belongs to person `p_users[i]`, shows up to
-- `p_limits[i]` payments and begins with their last entry: account, number, `seq` and id of the transfer. The page is
-- unchanged if the person has no other account and no later entry, and that transfer still exists: after lost commits,
-- another transfer may have the same number.
--
-- The first row contains the epochs of names and sessions and the positions of the unchanged pages. The rows of the
-- other pages follow, as `history_pages` returns them. `history_pages` would give the same result for every page, but a
-- check costs 10 to 15 µs of PostgreSQL time per page instead of 91.
CREATE OR REPLACE FUNCTION revalidate_pages(
  p_users uuid[], p_accounts bigint[], p_entries bigint[], p_seqs bigint[], p_ids uuid[], p_limits integer[],
  p_scanned bigint, p_dust bigint
) RETURNS TABLE (o_nth integer, o_names bigint, o_names_random bigint, o_account bigint, o_asset smallint,
                 o_blockchain text, o_top bigint, o_known boolean, o_rows text,
                 o_sessions bigint, o_sessions_random bigint, o_unchanged bigint[])
  LANGUAGE plpgsql STABLE
  -- A plan that was made while the tables were empty would always read whole tables.
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  unchanged bigint[] := ARRAY(
    SELECT p.nth
      FROM unnest(p_users, p_accounts, p_entries, p_seqs, p_ids) WITH ORDINALITY
             AS p(user_id, account_id, entry, seq, id, nth)
     WHERE (SELECT bool_and(a.account_id = p.account_id AND a.entries = p.entry)
              FROM accounts a WHERE a.user_id = p.user_id)
       AND (SELECT t.transfer_id FROM transfers t WHERE t.seq = p.seq) = p.id);
BEGIN
  RETURN QUERY
  SELECT 0, l.names_epoch, l.names_random, NULL::bigint, NULL::smallint, NULL::text, NULL::bigint, NULL::boolean,
         NULL::text, l.sessions_epoch, l.sessions_random, unchanged
    FROM ledger_state l;
  IF cardinality(unchanged) = cardinality(p_users) THEN RETURN; END IF;
  RETURN QUERY
  SELECT h.*, NULL::bigint, NULL::bigint, NULL::bigint[]
    FROM (SELECT array_agg(p.user_id ORDER BY p.nth) AS users, array_agg(p.account_id ORDER BY p.nth) AS accounts,
                 array_agg(p.entry ORDER BY p.nth) AS entries, array_agg(p.seq ORDER BY p.nth) AS seqs,
                 array_agg(p.id ORDER BY p.nth) AS ids, array_agg(p.size ORDER BY p.nth) AS sizes, count(*)::integer AS n
            FROM unnest(p_users, p_accounts, p_entries, p_seqs, p_ids, p_limits) WITH ORDINALITY
                   AS p(user_id, account_id, entry, seq, id, size, nth)
           WHERE p.nth <> ALL (unchanged)) changed
   CROSS JOIN LATERAL history_pages(changed.users, to_jsonb(array_fill(NULL::integer, ARRAY[changed.n])), changed.sizes,
                                    p_scanned, p_dust, changed.accounts, changed.entries, changed.seqs, changed.ids) h;
END $$;
