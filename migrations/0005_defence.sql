-- Who did what: logins, names, sessions, identity checks, keys, limits, approvals. Only ever added to, in the same
-- database transaction as the deed. It names people by their id and holds no e-mail address and no token.

CREATE TABLE audit_log (
  audit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Who: 'user:<id>', 'operator:<name>', 'provider:<name>'.
  actor    text NOT NULL CHECK (actor ~ '^(user|operator|provider):.'),
  action   text NOT NULL CHECK (action ~ '^[a-z_]+(\.[a-z_]+)*$'),
  -- The person it happened to, if it happened to one.
  user_id  uuid REFERENCES users,
  details  jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object')
);
CREATE INDEX audit_log_of_user ON audit_log (user_id, audit_id);

CREATE TRIGGER audit_log_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- ALWAYS: also for a session that calls itself a replica.
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_stays;

-- Keys of other services for the Web3 API. Only SHA-256 hashes of 256 random bits are kept.
CREATE TABLE service_keys (
  key_id       uuid PRIMARY KEY,
  name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  hash         bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  scopes       text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'send']),
  created_at   timestamptz NOT NULL DEFAULT now(),
  -- To the minute: it is not written for every call.
  last_used_at timestamptz,
  revoked_at   timestamptz
);

-- What is left of each rate limit, shared by all processes. A process takes a share of a window at a time and spends it
-- in memory. UNLOGGED: after a crash the windows begin anew, which is cheaper than writing every share to the log.
CREATE UNLOGGED TABLE rate_windows (
  bucket  text PRIMARY KEY,
  ends_at timestamptz NOT NULL,
  taken   integer NOT NULL CHECK (taken >= 0)
);
CREATE INDEX rate_windows_ends ON rate_windows (ends_at);
