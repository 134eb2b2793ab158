-- The wallets whose owners may be owed a different amount because of movements from `p_from` on. At most `p_limit`
-- movements are read; holds and releases do not change what is owed.
--
-- Returns one row per asset: `wallets`, and `paid_seq`, the newest payment between people among these movements. Two
-- columns are the same in every row: `to_seq`, below which no movement can be missing (the next `p_from`), and
-- `is_all`, whether there are no more movements. Without movements there is one row without an asset.
--
-- The planner settings: the planner expects many movements and would read all wallets even if there are none.
CREATE OR REPLACE FUNCTION touched_wallets(p_from bigint, p_limit integer)
  RETURNS TABLE (to_seq bigint, is_all boolean, asset_id smallint, wallets uuid[], paid_seq bigint)
  LANGUAGE plpgsql STABLE SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  settled bigint := ledger_settled_seq();
  stop    bigint;
BEGIN
  SELECT t.seq INTO stop FROM transfers t WHERE t.seq >= p_from ORDER BY t.seq OFFSET p_limit LIMIT 1;
  RETURN QUERY
    WITH moved AS MATERIALIZED (
      SELECT t.asset_id, t.debit_account, t.credit_account, t.kind, t.seq FROM transfers t
       WHERE t.seq >= p_from AND t.seq < coalesce(stop, 9223372036854775807) AND t.kind NOT IN ('hold', 'release')
    ), touched AS MATERIALIZED (
      SELECT m.asset_id, m.debit_account AS account_id FROM moved m
      UNION
      SELECT m.asset_id, m.credit_account FROM moved m
    ), owners AS MATERIALIZED (
      SELECT t.asset_id, a.user_id FROM touched t JOIN accounts a USING (account_id) WHERE a.kind <> 'chain'
    ), found AS (
      SELECT o.asset_id, w.wallet_id FROM owners o JOIN owner_wallets w USING (asset_id, user_id)
      UNION
      SELECT o.asset_id, w.wallet_id FROM owners o JOIN owner_wallets w USING (asset_id)
       WHERE o.user_id IS NULL AND w.kind = 'treasury'
    )
    SELECT least(settled, stop), stop IS NULL, p.asset_id, coalesce(f.wallets, '{}'), coalesce(p.paid_seq, 0)
      FROM (SELECT m.asset_id, max(m.seq) FILTER (WHERE m.kind = 'user') AS paid_seq FROM moved m GROUP BY m.asset_id) p
      LEFT JOIN (SELECT d.asset_id, array_agg(d.wallet_id ORDER BY d.wallet_id) AS wallets FROM found d GROUP BY d.asset_id) f
        USING (asset_id);
  IF NOT FOUND THEN RETURN QUERY SELECT least(settled, stop), stop IS NULL, NULL::smallint, '{}'::uuid[], 0::bigint; END IF;
END $$;
