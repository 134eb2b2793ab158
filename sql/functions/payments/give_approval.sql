-- Adds the approval of the operator with this database login; `guard_approval` refuses one that does not count. Returns how
-- many count now; the last one that is needed makes the payment CLEARED.
CREATE OR REPLACE FUNCTION give_approval(p_id uuid) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  approved integer;
BEGIN
  INSERT INTO approvals (payment_id, operator) VALUES (p_id, session_user);
  approved := count_approvals(p_id);
  IF approved = (SELECT approvals_needed FROM payments WHERE payment_id = p_id) THEN
    PERFORM payments_advance(ARRAY[p_id], ARRAY['CLEARED'], NULL, NULL, NULL);
  END IF;
  RETURN approved;
END $$;
