-- One operator's approval; `guard_approval` decides whether it counts.
CREATE OR REPLACE FUNCTION approve_payment(p_id uuid, p_operator text) RETURNS void LANGUAGE sql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO approvals (payment_id, operator) VALUES (p_id, p_operator);
$$;
