-- One operator's approval; `guard_approval` decides whether it counts. Answers how many there are now; the last one that is
-- needed clears the payment.
CREATE OR REPLACE FUNCTION approve_payment(p_id uuid, p_operator text) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  approved integer;
BEGIN
  INSERT INTO approvals (payment_id, operator) VALUES (p_id, p_operator);
  SELECT count(*) INTO approved FROM approvals WHERE payment_id = p_id;
  IF approved = (SELECT approvals_needed FROM payments WHERE payment_id = p_id) THEN
    PERFORM payments_advance(ARRAY[p_id], ARRAY['CLEARED'], NULL, NULL, NULL);
  END IF;
  RETURN approved;
END $$;
