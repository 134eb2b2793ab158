-- The note of a payout row as `payment_notes` takes it, so that no row can fail because of its note.
CREATE OR REPLACE FUNCTION plain_note(p_note text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT nullif(left(regexp_replace(p_note, '[\u0001-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]', '', 'g'), 140), '')
$$;
