-- A removed endpoint stays removed, and an endpoint's position in the feed never moves back, so that deliveries are not
-- written twice. Operators need the right role to change an endpoint.
--
-- Events that were delivered for one owner never become another's: between accounts, or between an account and a service,
-- an endpoint does not change hands.
CREATE OR REPLACE FUNCTION guard_webhook_endpoint() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM refuse_other_operators('webhooks');
  IF TG_OP = 'UPDATE' AND (OLD.removed_at IS NOT NULL OR NEW.place < OLD.place) THEN
    RAISE EXCEPTION 'a removed endpoint stays removed, and a position never moves back in the feed'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'webhook_endpoints_go_on';
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.key_id IS DISTINCT FROM OLD.key_id
    AND (SELECT user_id FROM service_keys WHERE key_id = NEW.key_id)
        IS DISTINCT FROM (SELECT user_id FROM service_keys WHERE key_id = OLD.key_id) THEN
    RAISE EXCEPTION 'an endpoint keeps its account'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'webhook_endpoints_keep_owner';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER webhook_endpoints_guard BEFORE INSERT OR UPDATE ON webhook_endpoints FOR EACH ROW
  EXECUTE FUNCTION guard_webhook_endpoint();
