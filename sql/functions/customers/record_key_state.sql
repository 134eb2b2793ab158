-- Tells a person about their keys: an event when one is created and when one is revoked, whoever did it, in the same commit.
CREATE OR REPLACE FUNCTION record_key_state() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
BEGIN
  INSERT INTO key_events (seq, key_id, user_id, state, at)
  VALUES (people_next_place(), NEW.key_id, NEW.user_id, CASE TG_OP WHEN 'INSERT' THEN 'created' ELSE 'revoked' END,
          date_trunc('milliseconds', clock_timestamp()));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER service_keys_tell_owner AFTER INSERT ON service_keys FOR EACH ROW
  WHEN (NEW.user_id IS NOT NULL) EXECUTE FUNCTION record_key_state();
CREATE OR REPLACE TRIGGER service_keys_tell_owner_of_end AFTER UPDATE OF revoked_at ON service_keys FOR EACH ROW
  WHEN (NEW.user_id IS NOT NULL AND OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
  EXECUTE FUNCTION record_key_state();
