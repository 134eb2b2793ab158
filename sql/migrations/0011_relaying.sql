-- The service itself writes down what it has mended.
ALTER TABLE audit_log
  DROP CONSTRAINT audit_log_actor_check,
  ADD CONSTRAINT audit_log_actor_check CHECK (actor ~ '^(user|operator|provider|service):.') NOT VALID;
