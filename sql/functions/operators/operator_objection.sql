-- The reason why the operator with this database login may not do something (`Deed` in
-- server/src/operators/operators.ts); NULL if they may. PostgreSQL has verified the login; nothing that callers say
-- about themselves counts. While no named admin has a login, every operator login may do everything, because someone
-- has to name the first admin.
CREATE OR REPLACE FUNCTION operator_objection(p_deed text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  held text := (SELECT role FROM operators WHERE name = session_user);
BEGIN
  IF NOT EXISTS (SELECT FROM operators o JOIN pg_roles r ON r.rolname = o.name AND r.rolcanlogin WHERE o.role = 'admin') THEN
    RETURN NULL;
  END IF;
  IF held IS NULL THEN RETURN session_user || ' is not an operator of this service'; END IF;
  IF p_deed = ANY (CASE held
      WHEN 'admin' THEN ARRAY['keys', 'limits', 'pause', 'pause_user', 'operators', 'approve', 'cancel', 'custody', 'sessions',
                                'webhooks']
      WHEN 'risk' THEN ARRAY['limits', 'pause', 'pause_user', 'approve', 'cancel', 'sessions']
      WHEN 'support' THEN ARRAY['pause_user', 'cancel', 'sessions'] END) THEN
    RETURN NULL;
  END IF;
  RETURN session_user || ' has the role ' || held || ', which may not do this';
END $$;
