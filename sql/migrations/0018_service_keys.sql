-- Keys are actors too.
ALTER TABLE audit_log DROP CONSTRAINT audit_log_actor_check;
ALTER TABLE audit_log
  ADD CONSTRAINT audit_log_actor_check CHECK (actor ~ '^(user|operator|provider|service|key):.') NOT VALID;
DROP FUNCTION IF EXISTS confirm_restore(text, text);
DROP FUNCTION IF EXISTS refuse_unnamed(text);
