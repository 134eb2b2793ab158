-- Deletes the notes of payments that were refused, with the refusals.
CREATE OR REPLACE FUNCTION forget_notes_of(p_payments uuid[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM payment_notes WHERE payment_id = ANY (p_payments)
$$;
