-- Who may pay: people, their wallets, names, sessions and identity checks, the keys of other services, and rate limits.
-- Written only by the room `customers`.

CREATE TABLE users (
  user_id        uuid PRIMARY KEY,
  -- The identity is the pair (issuer, subject), never the e-mail address, which may change.
  issuer         text NOT NULL,
  subject        text NOT NULL,
  email          text,
  email_verified boolean NOT NULL DEFAULT false,
  kyc_status     text NOT NULL DEFAULT 'none'
                 CHECK (kyc_status IN ('none', 'started', 'pending', 'needs_input', 'approved', 'rejected', 'revoked')),
  created_at     timestamptz NOT NULL DEFAULT now(),
  UNIQUE (issuer, subject)
);
-- Addresses are stored lower-cased. One address may belong to people of several issuers.
CREATE INDEX users_email ON users (email);

-- One seed per database: with another seed a process would give out other addresses, so it refuses to start.
CREATE TABLE wallet_seeds (
  only_one    boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  fingerprint text NOT NULL
);

-- Where owners' coins sit. An owner has one current wallet per provider and family of addresses. The view `owner_wallets`
-- says which of them a network uses; nothing else goes from an owner to a wallet. A wallet that was replaced is kept for
-- ever: coins that arrive there belong to its owner, and settlement moves them to the current one.
CREATE TABLE wallets (
  wallet_id   uuid PRIMARY KEY,
  kind        text NOT NULL CHECK (kind IN ('user', 'treasury')),
  user_id     uuid REFERENCES users,
  -- Who holds the key: `local` is our own seed.
  provider    text NOT NULL CHECK (provider ~ '^[a-z][a-z0-9_]*$'),
  -- What its addresses look like. A wallet has the same address on all networks of its family.
  family      text NOT NULL DEFAULT 'evm' CHECK (family IN ('evm', 'solana', 'aptos')),
  -- What the provider needs to find the key again: for local wallets, the derivation path.
  reference   text NOT NULL,
  address     text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  -- NULL: the current one.
  replaced_at timestamptz,
  CHECK ((kind = 'user') = (user_id IS NOT NULL)),
  CONSTRAINT wallets_address_of_family CHECK (family <> 'evm' OR address ~ '^0x[0-9a-fA-F]{40}$'),
  UNIQUE (provider, reference)
);
CREATE UNIQUE INDEX wallets_evm_address ON wallets (lower(address)) WHERE family = 'evm';
CREATE UNIQUE INDEX wallets_other_address ON wallets (family, address) WHERE family <> 'evm';
CREATE UNIQUE INDEX wallets_one_current ON wallets (user_id, provider, family)
  WHERE replaced_at IS NULL AND user_id IS NOT NULL;
CREATE UNIQUE INDEX wallets_one_treasury ON wallets (provider, family) WHERE replaced_at IS NULL AND kind = 'treasury';

-- Names that look alike have the same skeleton. It is the primary key, so two people never have names that look alike;
-- a name must have a skeleton of its own owner. Rows without an owner are reserved words, which no name can match. A
-- generated column stores the function's result: changing the function needs a migration that recomputes it.
CREATE FUNCTION username_skeleton(name text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN replace(translate(replace(name, '_', ''), '01', 'ol'), 'rn', 'm');

CREATE TABLE username_skeletons (
  skeleton text PRIMARY KEY,
  user_id  uuid REFERENCES users,
  UNIQUE (skeleton, user_id)
);

CREATE TABLE usernames (
  username       text PRIMARY KEY CHECK (username ~ '^[a-z0-9_]{3,30}$'),
  skeleton       text NOT NULL GENERATED ALWAYS AS (username_skeleton(username)) STORED,
  user_id        uuid NOT NULL REFERENCES users,
  claimed_at     timestamptz NOT NULL,
  -- NULL: the current name. Otherwise an old name, which leads to its owner and stays reserved for them until then.
  redirect_until timestamptz,
  FOREIGN KEY (skeleton, user_id) REFERENCES username_skeletons (skeleton, user_id)
);
CREATE UNIQUE INDEX usernames_one_current ON usernames (user_id) WHERE redirect_until IS NULL;
CREATE INDEX usernames_of_user ON usernames (user_id);

-- Every change of a person's name; the cooldown is counted from the last one.
CREATE TABLE username_changes (
  user_id    uuid NOT NULL REFERENCES users,
  username   text NOT NULL,
  previous   text,
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, changed_at)
);

INSERT INTO username_skeletons (skeleton)
SELECT DISTINCT username_skeleton(word) FROM unnest(ARRAY[
  'about', 'abuse', 'account', 'accounts', 'admin', 'administrator', 'all', 'anonymous', 'anyone', 'api', 'app',
  'bank', 'billing', 'bot', 'chain', 'circle', 'compliance', 'contact', 'customer_service', 'deposit', 'deposits',
  'dev', 'developer', 'everyone', 'faucet', 'fees', 'florin', 'florin_support', 'fraud', 'help', 'helpdesk', 'info',
  'kyc', 'legal', 'login', 'logout', 'loss', 'mail', 'me', 'moderator', 'myself', 'nobody', 'noreply', 'no_reply',
  'null', 'official', 'operator', 'owner', 'payment', 'payments', 'payout', 'police', 'postmaster', 'privacy',
  'refund', 'refunds', 'relayer', 'root', 'security', 'self', 'send', 'service', 'settings', 'settlement', 'signup',
  'staff', 'status', 'sumsub', 'superuser', 'support', 'sysadmin', 'system', 'team', 'terms', 'test', 'treasury',
  'undefined', 'unknown', 'usdc', 'user', 'username', 'users', 'verify', 'wallet', 'wallets', 'webhook', 'webmaster',
  'withdraw', 'www', 'you'
]) AS word;

-- A session has one refresh token at a time, and access tokens that expire soon. Only SHA-256 hashes are stored.
CREATE TABLE sessions (
  session_id    uuid PRIMARY KEY,
  user_id       uuid NOT NULL REFERENCES users,
  user_agent    text,
  created_at    timestamptz NOT NULL,
  last_used_at  timestamptz NOT NULL,
  -- Every refresh moves it: a session that is not refreshed expires.
  expires_at    timestamptz NOT NULL,
  ended_at      timestamptz,
  ended_because text CHECK (ended_because IN ('revoked', 'reused', 'replaced')),
  -- The last epoch (`ledger_state.sessions_epoch`) in which this session, or one of its access tokens, ended early.
  changed_epoch bigint,
  CHECK ((ended_at IS NULL) = (ended_because IS NULL))
);
CREATE INDEX sessions_of_user ON sessions (user_id, created_at DESC);
CREATE INDEX sessions_by_change ON sessions (changed_epoch) WHERE changed_epoch IS NOT NULL;

CREATE TABLE session_tokens (
  hash        bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  session_id  uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  kind        text NOT NULL CHECK (kind IN ('access', 'refresh')),
  generation  integer NOT NULL CHECK (generation >= 0),
  expires_at  timestamptz NOT NULL,
  -- Refresh tokens: when it was exchanged, and under which Idempotency-Key (hashed).
  spent_at    timestamptz,
  spent_under bytea,
  CHECK (kind = 'refresh' OR spent_at IS NULL),
  UNIQUE (session_id, kind, generation)
);

-- In production an ID token can be used for one login: its hash is kept for as long as the token would be accepted.
CREATE TABLE spent_id_tokens (
  hash       bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  expires_at timestamptz NOT NULL
);
CREATE INDEX spent_id_tokens_expiry ON spent_id_tokens (expires_at);

-- Identity checks. The status itself is `users.kyc_status`; these are the facts behind it.
CREATE TABLE kyc_checks (
  user_id      uuid PRIMARY KEY REFERENCES users,
  -- NULL when the provider has deleted the applicant: the person may start again.
  applicant_id text UNIQUE,
  -- The level that the check was started with. Passing another level is no approval.
  level        text NOT NULL,
  can_retry    boolean NOT NULL DEFAULT false,
  reasons      text[] NOT NULL DEFAULT '{}',
  -- A person who was approved before and is not now is `revoked`, not in a first check.
  was_approved boolean NOT NULL DEFAULT false,
  -- Questions to the provider are numbered when they are asked. An answer is stored only if no later question was
  -- answered before it, so late and reordered answers change nothing.
  asked        bigint NOT NULL DEFAULT 0,
  answered     bigint NOT NULL DEFAULT 0,
  -- The last question got no answer.
  stale        boolean NOT NULL DEFAULT false,
  updated_at   timestamptz NOT NULL DEFAULT now(),
  CHECK (answered <= asked)
);

-- Keys of other services for the Web3 API: 256 random bits, of which only the SHA-256 hash is stored.
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

-- How much of each rate limit is taken, by all processes together. A process takes shares of a window and spends them
-- in memory. UNLOGGED: after a crash the windows start empty, which is cheaper than writing every share to the log. No
-- index on `ends_at`: windows are written far more often than old ones are deleted, and deleting may read them all.
CREATE UNLOGGED TABLE rate_windows (
  bucket  text PRIMARY KEY,
  ends_at timestamptz NOT NULL,
  taken   integer NOT NULL CHECK (taken >= 0)
);
