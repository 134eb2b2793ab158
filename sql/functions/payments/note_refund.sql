-- Adds a note to the refund that the same statement has made or proposed (`refund_payment`, `propose_refund`). No one can
-- write the note of another payment, or of a refund that was committed before.
CREATE OR REPLACE FUNCTION note_refund(p_id uuid, p_note text) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('note_refund', num_nulls(p_id, p_note) = 0);
  PERFORM FROM refunds WHERE refund_id = p_id AND xmin = pg_current_xact_id()::xid AND proposed_by = session_user;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'refund % was not made in this transaction', p_id USING ERRCODE = 'restrict_violation';
  END IF;
  PERFORM keep_notes(ARRAY[p_id], ARRAY[p_note]);
END $$;
