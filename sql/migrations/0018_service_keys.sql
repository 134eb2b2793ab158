-- Keys are actors too.
ALTER TABLE audit_log DROP CONSTRAINT audit_log_actor_check;
ALTER TABLE audit_log
  ADD CONSTRAINT audit_log_actor_check CHECK (actor ~ '^(user|operator|provider|service|key):.') NOT VALID;
-- They have more arguments now; no release has these.
DROP FUNCTION IF EXISTS ledger_hold_many(uuid[], bigint[], bigint[], bigint[]);

-- Operators are known by their database logins: these functions no longer take a name. No release has them.
DROP FUNCTION IF EXISTS propose_correction(uuid, smallint, uuid, bigint, text, text);
DROP FUNCTION IF EXISTS approve_correction(uuid, text);
DROP FUNCTION IF EXISTS confirm_restore(text, text);
DROP FUNCTION IF EXISTS refuse_unnamed(text);
