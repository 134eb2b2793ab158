-- Secrets that authenticate logins begun in the web wallet. All servers share them: `/callback` may reach another server
-- than the one that began the login. Processes of 0.2.0 ignore the table. Docs:
-- docs/decisions/0037-the-wallets-session.md.
CREATE TABLE login_secrets (
  secret_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  secret     bytea NOT NULL CHECK (octet_length(secret) = 32),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
