-- Guards what the commands of release 0.2.0 write to this table directly: an operator needs the right to manage keys,
-- and a revoked key stays revoked. Every change waits for the payments that are being accepted (see `lock_key`).
CREATE OR REPLACE FUNCTION guard_key() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM refuse_other_operators('keys');
  IF TG_OP = 'UPDATE' THEN
    LOCK TABLE key_rules IN EXCLUSIVE MODE;
    IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
      RAISE EXCEPTION 'a revoked key stays revoked'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'service_keys_stay_revoked';
    END IF;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER service_keys_guard BEFORE INSERT OR UPDATE OF revoked_at, scopes ON service_keys FOR EACH ROW
  EXECUTE FUNCTION guard_key();
