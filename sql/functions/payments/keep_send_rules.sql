-- Stores a worker's configured rules (see `send_rules`), and records changes in the audit log.
CREATE OR REPLACE FUNCTION keep_send_rules(p_threshold bigint, p_delay integer, p_open_treasury boolean) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('keep_send_rules', p_delay >= 0 AND p_open_treasury IS NOT NULL AND coalesce(p_threshold, 0) >= 0);
  UPDATE send_rules SET approval_threshold = p_threshold, new_recipient_delay = p_delay, has_open_treasury = p_open_treasury
   WHERE (approval_threshold, new_recipient_delay, has_open_treasury)
         IS DISTINCT FROM (p_threshold, p_delay, p_open_treasury);
  IF FOUND THEN
    PERFORM write_audit('service:' || session_user, 'send_rules.changed', NULL, jsonb_build_object(
      'approval_threshold', p_threshold::text, 'new_recipient_delay', p_delay, 'has_open_treasury', p_open_treasury));
  END IF;
END $$;
