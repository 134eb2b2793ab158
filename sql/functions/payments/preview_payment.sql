-- Returns the decision that `ledger_pay_batch` would make about one payment between people, and the limits that the
-- payer would have left. The payment is made and rolled back before this returns, so the preview accepts exactly what
-- the payment itself would accept, without a second list of refusals. Only a proof with a passkey is not needed yet. Locks are held as long as a single payment would
-- hold them.
--
-- The parameters and the first results are those of `ledger_pay_batch`, for one payment without a key. `o_limits`: the
-- row of `limits_left` afterwards, every value as text; NULL if it is refused.
CREATE OR REPLACE FUNCTION preview_payment(
  p_sessions bigint, p_sessions_random bigint, p_asset smallint, p_names bigint, p_names_random bigint,
  p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[],
  p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[],
  p_froms text[], p_tos text[], p_typed text[],
  OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb, OUT o_limits jsonb
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('preview_payment', cardinality(p_ids) = 1);
  -- Nothing is kept, so there is no need to wait for the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  BEGIN
    PERFORM preview_unasked((SELECT user_id FROM accounts WHERE account_id = p_accounts[p_debits[1]]), p_accounts);
    SELECT b.o_at_ms, b.o_available, b.o_exceptions INTO o_at_ms, o_available, o_exceptions
      FROM ledger_pay_batch(p_sessions, p_sessions_random, p_asset, p_names, p_names_random, p_accounts, p_net, p_out,
        p_sends, p_touches, p_lasts, p_ids, p_keyed, p_debits, p_credits, p_amounts, p_froms, p_tos, p_typed) b;
    IF o_exceptions = '{}' THEN
      o_limits := (SELECT jsonb_object_agg(m.key, m.value)
                     FROM accounts x JOIN assets s USING (asset_id), limits_left(x.user_id, s.symbol) l, jsonb_each_text(to_jsonb(l)) m
                    WHERE x.account_id = p_accounts[p_debits[1]]);
    END IF;
    RAISE EXCEPTION 'only a preview' USING ERRCODE = 'FL001';
  EXCEPTION WHEN SQLSTATE 'FL001' THEN
    -- Rolled back; the results are kept in the variables.
    NULL;
  END;
END $$;
