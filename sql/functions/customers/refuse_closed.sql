-- A closed account never gets a session or a name. The person's row is locked: a concurrent login either waits until
-- the account is closed, or closing ends its session.
CREATE OR REPLACE FUNCTION refuse_closed() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  closed timestamptz;
BEGIN
  SELECT closed_at INTO closed FROM users WHERE user_id = NEW.user_id FOR SHARE;
  IF closed IS NOT NULL THEN
    RAISE EXCEPTION 'the account is closed' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER sessions_of_open_accounts BEFORE INSERT ON sessions
  FOR EACH ROW EXECUTE FUNCTION refuse_closed();
CREATE OR REPLACE TRIGGER usernames_of_open_accounts BEFORE INSERT OR UPDATE OF redirect_until ON usernames
  FOR EACH ROW WHEN (NEW.redirect_until IS NULL) EXECUTE FUNCTION refuse_closed();
