-- Guards what the commands of release 0.2.0 write to this table directly: an operator needs the right to manage keys,
-- and a revoked key stays revoked. Every change waits for the payments that are being accepted (see `lock_key`).
--
-- A key never changes its owner. Only people create account keys; operators who may end sessions may also end these. The
-- functions that end them have taken the locks: `close_account` needs none, because a closed account cannot spend.
CREATE OR REPLACE FUNCTION guard_key() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.user_id IS NULL THEN
    PERFORM refuse_other_operators('keys');
    IF TG_OP = 'UPDATE' THEN LOCK TABLE key_rules IN EXCLUSIVE MODE; END IF;
  ELSIF is_operator_login() AND (TG_OP = 'INSERT' OR operator_objection('keys') IS NOT NULL) THEN
    IF TG_OP = 'INSERT' THEN
      RAISE EXCEPTION 'only people create keys of their account'
        USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'service_keys_of_people';
    END IF;
    PERFORM require_operator('sessions');
  END IF;
  IF TG_OP = 'UPDATE' AND (NEW.user_id IS DISTINCT FROM OLD.user_id
                           OR OLD.user_id IS NOT NULL AND (NEW.scopes, NEW.hash) IS DISTINCT FROM (OLD.scopes, OLD.hash)) THEN
    RAISE EXCEPTION 'a key keeps its owner, and an account key its scopes'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'service_keys_keep_owner';
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
    RAISE EXCEPTION 'a revoked key stays revoked'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'service_keys_stay_revoked';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER service_keys_guard BEFORE INSERT OR UPDATE OF revoked_at, scopes, user_id, hash ON service_keys
  FOR EACH ROW EXECUTE FUNCTION guard_key();
