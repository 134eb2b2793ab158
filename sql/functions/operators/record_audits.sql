-- Writes many entries of one kind in one statement, for what service keys did. Only database functions call it.
CREATE OR REPLACE FUNCTION record_audits(p_action text, p_actors text[], p_details jsonb[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_log (actor, action, details)
  SELECT u.actor, p_action, u.details FROM unnest(p_actors, p_details) WITH ORDINALITY AS u(actor, details, n) ORDER BY u.n;
END $$;
