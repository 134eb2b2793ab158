-- Keeps `public_names` equal to the current names of people who let others find them. Whoever changes a name, the choice
-- or the account holds the lock of the person's row, so the last of several changes decides.
CREATE OR REPLACE FUNCTION list_public_name() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- Nearly everyone: a first name of a person who has chosen nothing.
  IF TG_OP = 'INSERT' AND NOT (SELECT discoverable FROM users WHERE user_id = NEW.user_id) THEN RETURN NULL; END IF;
  DELETE FROM public_names WHERE user_id = NEW.user_id;
  INSERT INTO public_names (username, user_id)
  SELECT n.username, n.user_id FROM usernames n JOIN users u USING (user_id)
   WHERE n.user_id = NEW.user_id AND n.redirect_until IS NULL AND u.discoverable AND u.closed_at IS NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER usernames_public AFTER INSERT OR UPDATE OF redirect_until ON usernames
  FOR EACH ROW EXECUTE FUNCTION list_public_name();
CREATE OR REPLACE TRIGGER users_public AFTER UPDATE OF discoverable, closed_at ON users
  FOR EACH ROW EXECUTE FUNCTION list_public_name();
