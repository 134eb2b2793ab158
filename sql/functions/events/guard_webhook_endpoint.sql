-- What is removed stays removed, and nobody goes back in the feed: what was written for an endpoint is not written again. Of
-- people, only operators with the right role may change an endpoint.
CREATE OR REPLACE FUNCTION guard_webhook_endpoint() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM refuse_other_operators('webhooks');
  IF TG_OP = 'UPDATE' AND (OLD.removed_at IS NOT NULL OR NEW.place < OLD.place) THEN
    RAISE EXCEPTION 'a removed endpoint stays removed, and none goes back in the feed'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'webhook_endpoints_go_on';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER webhook_endpoints_guard BEFORE INSERT OR UPDATE ON webhook_endpoints FOR EACH ROW
  EXECUTE FUNCTION guard_webhook_endpoint();
