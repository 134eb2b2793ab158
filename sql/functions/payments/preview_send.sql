-- Returns the decision that `accept_sends` would make about one payment to an address, and the balance and limits that
-- the payer would have left. The payment is accepted and rolled back before this returns, as in `preview_payment`; a
-- proof with a passkey is not needed yet.
--
-- `p_send` is one of the payments of `accept_sends`, without a key, of a `person`. The first results are those of
-- `accept_sends`. `o_available`: the payer's balance afterwards; `o_limits`: the row of `limits_left` afterwards, every
-- value as text. Both are NULL if it is not accepted.
CREATE OR REPLACE FUNCTION preview_send(
  p_rules jsonb, p_send jsonb,
  OUT o_outcome text, OUT o_details jsonb, OUT o_approvals_needed smallint, OUT o_not_before timestamptz,
  OUT o_available bigint, OUT o_limits jsonb
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('preview_send', jsonb_typeof(p_rules) = 'object' AND jsonb_typeof(p_send) = 'object');
  -- Nothing is kept, so there is no need to wait for the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  BEGIN
    PERFORM preview_unasked((p_send->>'person')::uuid, '{}');
    SELECT a.outcome, a.details, a.approvals_needed, a.not_before
      INTO o_outcome, o_details, o_approvals_needed, o_not_before
      FROM accept_sends(p_rules, jsonb_build_array(p_send)) a;
    IF o_outcome = 'accepted' THEN
      o_available := (SELECT t.debit_available FROM transfers t WHERE t.transfer_id = (p_send->>'id')::uuid AND t.kind = 'hold');
      o_limits := (SELECT jsonb_object_agg(m.key, m.value)
                     FROM limits_left((p_send->>'person')::uuid, p_send->>'currency') l, jsonb_each_text(to_jsonb(l)) m);
    END IF;
    RAISE EXCEPTION 'only a preview' USING ERRCODE = 'FL001';
  EXCEPTION WHEN SQLSTATE 'FL001' THEN
    -- Rolled back; the results are kept in the variables.
    NULL;
  END;
END $$;
