-- Tells a person what happened to their passkeys, or to the amount above which payments need one: an event of theirs, in the
-- same commit, and an entry of the audit log.
CREATE OR REPLACE FUNCTION tell_of_passkey(p_actor text, p_user uuid, p_what text, p_details jsonb) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO key_events (seq, user_id, state, at)
  VALUES (people_next_place(), p_user, p_what, date_trunc('milliseconds', clock_timestamp()));
  PERFORM write_audit(p_actor, p_what, p_user, p_details);
END $$;
