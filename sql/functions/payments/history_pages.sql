-- Several pages of history at once, newest first: of person i the newest `p_limits[i] + 1` payments below the entries that
-- `p_after[i]` names by asset (null: from the newest on). One row per page and account, or one without an account;
-- `o_rows` has a line per payment, its members separated by tabs. Also the epoch of names in the same snapshot, because
-- the caller knows the names. Filters and statements: `readPayments`, which gives the same pages.
--
-- The settings fix the plan: both indexes of an account are read downwards and merged, so that a page reads about as
-- many rows as it shows. `kind` and `DUST` as in `readPayments`.
CREATE OR REPLACE FUNCTION history_pages(p_users uuid[], p_after jsonb, p_limits integer[], p_scanned bigint, p_dust bigint)
  RETURNS TABLE (o_nth integer, o_names bigint, o_names_random bigint, o_account bigint, o_asset smallint,
                 o_blockchain text, o_top bigint, o_rows text)
  LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  RETURN QUERY
  SELECT a.nth::integer, l.names_epoch, l.names_random, x.account_id, x.asset_id, n.blockchain, x.top, page.lines
    FROM ledger_state l
   CROSS JOIN unnest(p_users, p_limits) WITH ORDINALITY AS a(user_id, size, nth)
    LEFT JOIN LATERAL (
      SELECT account_id, asset_id,
             -- An asset that is not in the cursor was opened after the first page, so all its entries are newer.
             CASE WHEN p_after -> (a.nth - 1)::integer = 'null' THEN entries + 1
                  ELSE coalesce((p_after -> (a.nth - 1)::integer ->> asset_id::text)::bigint, 1) END AS top
        FROM accounts WHERE accounts.user_id = a.user_id) x ON true
    LEFT JOIN assets s ON s.asset_id = x.asset_id
    LEFT JOIN networks n ON n.network_id = s.network_id
    LEFT JOIN LATERAL (
      SELECT string_agg(concat_ws(E'\t', t.entry, t.seq, t.transfer_id, t.kind, t.amount,
                                  round(date_part('epoch', date_trunc('milliseconds', t.created_at)) * 1000),
                                  t.debit_account, t.credit_account, coalesce(t.typed_name, ''),
                                  CASE t.kind WHEN 'deposit' THEN coalesce(t.from_name, '') ELSE '' END), E'\n') AS lines
        FROM (
          SELECT *
            FROM (SELECT d.debit_entry AS entry, d.seq, d.transfer_id, d.kind, d.amount, d.created_at, d.debit_account,
                         d.credit_account, d.typed_name, d.from_name
                    FROM transfers d
                   WHERE d.debit_account = x.account_id AND d.debit_entry < x.top AND d.debit_entry >= x.top - p_scanned
                     AND d.kind IN ('user', 'hold', 'deposit') AND (d.kind <> 'deposit' OR d.amount >= p_dust)
                  UNION ALL
                  SELECT c.credit_entry, c.seq, c.transfer_id, c.kind, c.amount, c.created_at, c.debit_account,
                         c.credit_account, c.typed_name, c.from_name
                    FROM transfers c
                   WHERE c.credit_account = x.account_id AND c.credit_entry < x.top AND c.credit_entry >= x.top - p_scanned
                     AND c.kind IN ('user', 'hold', 'deposit') AND (c.kind <> 'deposit' OR c.amount >= p_dust)) sides
           ORDER BY entry DESC LIMIT a.size + 1) t) page ON true;
END $$;
