-- Stores the notes of payments that this transaction has decided; NULL: no note. Only database functions call it. A row that
-- exists already belongs to a payment that this database has lost and that is made again: a note never prevents a payment.
CREATE OR REPLACE FUNCTION keep_notes(p_payments uuid[], p_notes text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_notes (payment_id, note)
  SELECT n.id, n.note FROM unnest(p_payments, p_notes) AS n(id, note) WHERE n.note IS NOT NULL
  ON CONFLICT (payment_id) DO UPDATE SET note = excluded.note, created_at = excluded.created_at;
END $$;
