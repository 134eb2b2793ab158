-- The people who operate the service, the audit log, and what is paused. Written only by the room `operators`.

-- Who may use which command. While it is empty, everyone with an operator's database login may use all of them.
CREATE TABLE operators (
  name     text PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 100),
  role     text NOT NULL CHECK (role IN ('admin', 'risk', 'support')),
  added_at timestamptz NOT NULL DEFAULT now()
);

-- Who did what: logins, names, sessions, identity checks, keys, limits, approvals. Append-only, written in the same
-- database transaction as the action. It has ids of people, but no e-mail addresses and no tokens.
CREATE TABLE audit_log (
  audit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- 'user:<id>', 'operator:<name>' or 'provider:<name>'.
  actor    text NOT NULL CHECK (actor ~ '^(user|operator|provider):.'),
  action   text NOT NULL CHECK (action ~ '^[a-z_]+(\.[a-z_]+)*$'),
  -- The person it happened to, if it happened to one.
  user_id  uuid REFERENCES users,
  details  jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object')
);
CREATE INDEX audit_log_of_user ON audit_log (user_id, audit_id);

-- What is paused, and why; read in the statement that accepts a payment. One row per cause, and each ends on its own.
-- Scopes: everything (`all`), people paying each other (`user`), sends to addresses (`chain`), sends on one blockchain
-- (`chain:ETH-SEPOLIA`) or all payments of one person (`user:<id>`, copied to `accounts.paused`).
CREATE TABLE pauses (
  scope     text NOT NULL
            CHECK (scope ~ '^(all|user|chain|chain:[A-Z0-9][A-Z0-9-]{1,31}|user:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$'),
  -- `operator`: paused by a person. The others: by the service itself, always for one blockchain.
  cause     text NOT NULL DEFAULT 'operator' CHECK (cause IN ('operator', 'drift', 'unexplained', 'reorg', 'gas')),
  reason    text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  -- `accepting`: no new payments; those accepted before are carried out. `accepting and signing`: nothing is signed
  -- either, also for payments accepted before. What is signed already may still happen on chain.
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
