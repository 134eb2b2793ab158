-- The second of two operators approves what happened to a held transfer. PostgreSQL refuses the operator who proposed
-- it (`transfer_decisions_two_people`). An adopted transfer is followed under the provider's id from now on. A transfer
-- that was never made is ended by the worker once final blocks show that the chain does not have it either
-- (`guard_provider_end`). Outcomes: `decided`, `unknown` (no such proposal, or the transfer is no longer held, or the
-- provider has come to know it since). While the transfer is held, a second decision about it is refused
-- (`transfer_decisions_once`).
CREATE OR REPLACE FUNCTION approve_transfer_end(p_id uuid) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  d       transfer_decisions;
  v_since timestamptz;
BEGIN
  PERFORM require_arguments('approve_transfer_end', p_id IS NOT NULL);
  PERFORM refuse_unnamed(session_user);
  SELECT * INTO d FROM transfer_decisions WHERE decision_id = p_id AND decided_at IS NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  PERFORM refuse_unnamed(d.proposed_by, d.proposed_at);
  SELECT held_at INTO v_since FROM provider_transfers
   WHERE move_id = d.move_id AND held_at <= d.proposed_at AND provider_state IN ('new', 'submitted', 'sent', 'done')
     FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  IF EXISTS (SELECT FROM transfer_decisions WHERE move_id = d.move_id AND decided_at >= v_since) THEN
    RAISE EXCEPTION 'move % has already been decided by two operators', d.move_id
      USING ERRCODE = 'unique_violation', CONSTRAINT = 'transfer_decisions_once';
  END IF;
  UPDATE transfer_decisions SET approved_by = session_user, decided_at = clock_timestamp() WHERE decision_id = p_id;
  IF d.verdict = 'adopt' THEN
    UPDATE provider_transfers SET provider_id = d.provider_id, provider_state = 'submitted', held_at = NULL,
           asked_at = NULL, updated_at = clock_timestamp()
     WHERE move_id = d.move_id;
  END IF;
  RETURN 'decided';
END $$;
