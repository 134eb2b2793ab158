-- Ends a payment unpaid (FAILED, DENIED or CANCELLED) and releases its hold in the same commit. `guard_payment_end`
-- refuses this while an authorization of the payment is open, because the chain could still pay it. `p_release` is the
-- id of the movement. Returns the outcome of `ledger_apply`; `ended`: it was paid before, and nothing was changed.
CREATE OR REPLACE FUNCTION payment_release(p_id uuid, p_release uuid, p_state text, p_reason text, p_tx_hash text)
  RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  h   transfers;
  did text;
BEGIN
  PERFORM require_arguments('payment_release', num_nulls(p_id, p_release) = 0 AND p_state IN ('FAILED', 'DENIED', 'CANCELLED'));
  -- A denial is decided by an operator, or by the token, which only a worker asks before anything is signed.
  IF p_state = 'DENIED' AND NOT pg_has_role(session_user, (SELECT prefix || '_worker' FROM role_names), 'MEMBER') THEN
    PERFORM refuse_processes();
  END IF;
  PERFORM refuse_other_operators(CASE p_state WHEN 'CANCELLED' THEN 'cancel' WHEN 'DENIED' THEN 'approve' ELSE 'custody' END);
  SELECT * INTO h FROM transfers WHERE transfer_id = p_id AND kind = 'hold';
  SELECT m.outcome INTO did
    FROM ledger_apply(p_release, 'release', h.debit_account, h.credit_account, h.amount, p_id, NULL) m;
  -- Another movement has used that id. A hold ends only once, whatever the id.
  IF did = 'mismatch' THEN
    SELECT m.outcome INTO did
      FROM ledger_apply(gen_random_uuid(), 'release', h.debit_account, h.credit_account, h.amount, p_id, NULL) m;
  END IF;
  IF did IN ('applied', 'duplicate') THEN
    PERFORM payments_advance(ARRAY[p_id], ARRAY[p_state], ARRAY[p_tx_hash], NULL, ARRAY[p_reason]);
  END IF;
  RETURN did;
END $$;
