-- People who operate the service, and what they and everybody else did.

-- Who may use which command. While it is empty, whoever holds the database's password may do everything.
CREATE TABLE operators (
  name     text PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 100),
  role     text NOT NULL CHECK (role IN ('admin', 'risk', 'support')),
  added_at timestamptz NOT NULL DEFAULT now()
);

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
