-- Increments `sessions_epoch` when a session ends, so that the statement that pays notices (see `ledger_state`).
CREATE OR REPLACE FUNCTION note_session_change() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  NEW.changed_epoch := ledger_next_sessions_epoch();
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER sessions_ended BEFORE UPDATE OF ended_at ON sessions FOR EACH ROW
  WHEN (OLD.ended_at IS DISTINCT FROM NEW.ended_at) EXECUTE FUNCTION note_session_change();
