-- A key that is revoked waits for the payments that are being accepted, whoever revokes it (see `key_lock`).
CREATE OR REPLACE FUNCTION guard_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(key_lock(OLD.key_id));
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER service_keys_guard BEFORE UPDATE OF revoked_at, scopes ON service_keys FOR EACH ROW
  EXECUTE FUNCTION guard_key();
