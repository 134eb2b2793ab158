-- Taken before an endpoint is added, so that concurrent additions are counted one after the other. Operators need the
-- right role.
CREATE OR REPLACE FUNCTION lock_webhook_endpoints() RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('lock_webhook_endpoints', true);
  PERFORM refuse_other_operators('webhooks');
  LOCK TABLE webhook_endpoints IN SHARE ROW EXCLUSIVE MODE;
END $$;
