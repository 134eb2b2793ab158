-- The first of two operators proposes what happened to a held transfer. Outcomes: `proposed`, `unknown` (no such
-- transfer is held).
CREATE OR REPLACE FUNCTION propose_transfer_end(
  p_id uuid, p_move uuid, p_verdict text, p_provider_id text, p_reason text
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('propose_transfer_end', num_nulls(p_id, p_move, p_verdict, p_reason) = 0);
  PERFORM refuse_unnamed(session_user);
  PERFORM FROM provider_transfers WHERE move_id = p_move AND held_at IS NOT NULL
     AND provider_state IN ('new', 'submitted', 'sent', 'done');
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  INSERT INTO transfer_decisions (decision_id, move_id, verdict, provider_id, reason, proposed_by)
  VALUES (p_id, p_move, p_verdict, p_provider_id, p_reason, session_user);
  RETURN 'proposed';
END $$;
