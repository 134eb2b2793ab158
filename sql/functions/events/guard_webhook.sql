-- Operators need the right role to make secrets, send a test event or send an event again.
CREATE OR REPLACE FUNCTION guard_webhook() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM refuse_other_operators('webhooks');
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER webhook_secrets_guard BEFORE INSERT OR UPDATE OR DELETE ON webhook_secrets FOR EACH STATEMENT
  EXECUTE FUNCTION guard_webhook();
CREATE OR REPLACE TRIGGER webhook_deliveries_guard BEFORE INSERT OR UPDATE ON webhook_deliveries FOR EACH STATEMENT
  EXECUTE FUNCTION guard_webhook();
