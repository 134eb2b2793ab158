-- Several pages of history, newest first: for person i, the newest `p_limits[i] + 1` payments below the entries that
-- `p_after[i]` names by asset (null: from the newest on). Returns one row per page and account, or one row without an
-- account. `o_rows` has one line per payment, with fields separated by tabs. Also returns the epoch of names in the
-- same snapshot, because the caller resolves names from its cache. For filters and statements see `readPayments`, which
-- returns the same pages.
--
-- A caller that has cached a page passes its newest payment: account, entry, `seq` and id. If that payment still
-- exists, `o_known` is true and only newer payments are read, because older entries of an account do not change. After
-- lost commits it does not exist, because no other payment has the same id at the same position. `o_known` is also
-- false if more than `p_scanned` entries were added since: they may all be of a kind that is not shown, and would be
-- read again for every page.
CREATE OR REPLACE FUNCTION history_pages(
  p_users uuid[], p_after jsonb, p_limits integer[], p_scanned bigint, p_dust bigint,
  p_accounts bigint[], p_entries bigint[], p_seqs bigint[], p_ids uuid[]
) RETURNS TABLE (o_nth integer, o_names bigint, o_names_random bigint, o_account bigint, o_asset smallint,
                 o_blockchain text, o_top bigint, o_known boolean, o_rows text)
  LANGUAGE plpgsql STABLE
  -- A plan that was made while the tables were empty would always read whole tables.
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  RETURN QUERY
  SELECT a.nth::integer, l.names_epoch, l.names_random, x.account_id, x.asset_id, n.blockchain, x.top, k.known, page.lines
    FROM ledger_state l
   CROSS JOIN unnest(p_users, p_limits, p_accounts, p_entries, p_seqs, p_ids) WITH ORDINALITY
           AS a(user_id, size, account_id, entry, seq, id, nth)
    LEFT JOIN LATERAL (
      SELECT accounts.account_id, asset_id,
             -- An asset that is not in the cursor was opened after the first page, so all its entries are newer. An
             -- entry above the last one was lost with its commit.
             CASE WHEN p_after -> (a.nth - 1)::integer = 'null' THEN entries + 1
                  ELSE least(coalesce((p_after -> (a.nth - 1)::integer ->> asset_id::text)::bigint, 1), entries + 1)
             END AS top
        FROM accounts WHERE accounts.user_id = a.user_id OFFSET 0) x ON true
    LEFT JOIN assets s ON s.asset_id = x.asset_id
    LEFT JOIN networks n ON n.network_id = s.network_id
   -- OFFSET 0, here and above: PostgreSQL inlines `ledger_entries` into this statement, where the LIMIT stops it, only
   -- if its arguments are simple. OFFSET 0 makes PostgreSQL compute them once.
   CROSS JOIN LATERAL (
      SELECT found.known, CASE WHEN found.known THEN a.entry + 1 ELSE greatest(x.top - p_scanned, 1) END AS bottom
        FROM (SELECT x.account_id = a.account_id AND a.entry >= x.top - p_scanned
                     AND EXISTS (SELECT FROM transfers t WHERE t.seq = a.seq AND t.transfer_id = a.id) AS known
              OFFSET 0) found
      OFFSET 0) k
    LEFT JOIN LATERAL (
      SELECT string_agg(concat_ws(E'\t', t.entry, (t.transfer).seq, (t.transfer).transfer_id, (t.transfer).kind,
                                  (t.transfer).amount,
                                  round(date_part('epoch', date_trunc('milliseconds', (t.transfer).created_at)) * 1000),
                                  (t.transfer).debit_account, (t.transfer).credit_account,
                                  coalesce((t.transfer).typed_name, ''),
                                  CASE WHEN (t.transfer).kind IN ('deposit', 'internal')
                                       THEN coalesce((t.transfer).from_name, '') ELSE '' END,
                                  t.available_after,
                                  -- Committed together with the movement. Only a note can change: it can be removed.
                                  CASE (t.transfer).kind
                                    -- A refund has two more fields: the payment that it gives back, and why.
                                    WHEN 'user' THEN (
                                      SELECT CASE WHEN r.refund_id IS NULL THEN n.note
                                                  ELSE concat_ws(E'\t', coalesce(n.note, ''), r.payment_id,
                                                                 regexp_replace(r.reason, '\s+', ' ', 'g')) END
                                        FROM (SELECT (t.transfer).transfer_id AS id OFFSET 0) one
                                        LEFT JOIN payment_notes n ON n.payment_id = one.id
                                        LEFT JOIN refunds r ON r.refund_id = one.id)
                                    WHEN 'deposit' THEN (
                                      SELECT d.tx_hash FROM deposits d WHERE d.transfer_id = (t.transfer).transfer_id)
                                    WHEN 'internal' THEN (
                                      SELECT regexp_replace(c.reason, '\s+', ' ', 'g') FROM corrections c
                                       WHERE c.correction_id = (t.transfer).transfer_id) END),
                        E'\n') AS lines
        FROM (
          SELECT e.entry, e.transfer, e.available_after
            FROM ledger_entries(x.account_id, x.top, k.bottom) e
           WHERE x.top > k.bottom AND (e.transfer).kind IN ('user', 'hold', 'deposit', 'internal')
             AND ((e.transfer).kind <> 'deposit' OR (e.transfer).amount >= p_dust)
           LIMIT a.size + 1) t) page ON true;
END $$;
