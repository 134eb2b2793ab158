-- People who operate the service, what they and everybody else did, and what is stopped for now. Written only by the
-- room `operators`.

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

-- What is stopped for now, and why; read inside the statement that would pay. One row per cause, and each is lifted on
-- its own. Scopes: everything (`all`), people paying each other (`user`), sends to addresses (`chain`), sends on one
-- blockchain (`chain:ETH-SEPOLIA`) or whatever one person pays (`user:<id>`, which `accounts.paused` repeats).
CREATE TABLE pauses (
  scope     text NOT NULL
            CHECK (scope ~ '^(all|user|chain|chain:[A-Z0-9][A-Z0-9-]{1,31}|user:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$'),
  -- `operator`: a person said so. The others the service found by itself, on one blockchain.
  cause     text NOT NULL DEFAULT 'operator' CHECK (cause IN ('operator', 'drift', 'unexplained', 'reorg', 'gas')),
  reason    text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  -- `accepting`: no new payment; what was accepted before is carried out. `accepting and signing`: nothing that was
  -- accepted before is signed either. What is signed already may happen on chain, whatever stands here.
  stops     text NOT NULL DEFAULT 'accepting' CHECK (stops IN ('accepting', 'accepting and signing')),
  paused_by text NOT NULL DEFAULT session_user,
  paused_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (scope, cause),
  CONSTRAINT pauses_automatic_of_chain CHECK (cause = 'operator' OR scope LIKE 'chain:%'),
  -- People paying each other need no signature.
  CONSTRAINT pauses_signing_of_chain CHECK (stops = 'accepting' OR scope !~ '^user'),
  CONSTRAINT pauses_stop_by_cause CHECK (cause = 'operator'
    OR (stops = 'accepting and signing') = (cause IN ('drift', 'unexplained')))
);
