-- An access token that ends before it expires counts as a change of its session (see `note_session_change`). Processes
-- discard expired tokens by their own clock.
CREATE OR REPLACE FUNCTION note_token_end() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE sessions SET changed_epoch = ledger_next_sessions_epoch() WHERE session_id = OLD.session_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER session_tokens_ended AFTER DELETE ON session_tokens FOR EACH ROW
  WHEN (OLD.kind = 'access' AND OLD.expires_at > now()) EXECUTE FUNCTION note_token_end();
CREATE OR REPLACE TRIGGER session_tokens_lapsed AFTER UPDATE OF expires_at ON session_tokens FOR EACH ROW
  WHEN (OLD.kind = 'access' AND NEW.expires_at < OLD.expires_at) EXECUTE FUNCTION note_token_end();
