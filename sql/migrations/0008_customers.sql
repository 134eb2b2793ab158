-- Customers since 0.2.0: accounts that people close, wallets at providers, and rules for service keys. The tables and
-- columns that follow are new; processes of 0.2.0 ignore them.

-- A closed account has no sessions and no username. Its books and its history stay.
ALTER TABLE users ADD COLUMN closed_at timestamptz;

-- NOT VALID: all existing rows have EVM addresses, so PostgreSQL does not need to read them.
ALTER TABLE wallets ADD CONSTRAINT wallets_address_of_other_family CHECK (CASE family
    WHEN 'solana' THEN address ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'
    WHEN 'aptos' THEN address ~ '^0x[0-9a-f]{64}$' ELSE true END) NOT VALID;

-- Providers are rows, so that no constraint and no function names one. `eip3009`: wallets sign, and relayers broadcast.
-- `provider`: the provider sends by itself. The signer registers the providers of its build (`choose_wallets`). A row
-- never changes, because moves and signatures rely on its rail.
CREATE TABLE wallet_providers (
  provider text PRIMARY KEY CHECK (provider ~ '^[a-z][a-z0-9_]{0,39}$'),
  rail     text NOT NULL CHECK (rail IN ('eip3009', 'provider'))
);
INSERT INTO wallet_providers (provider, rail)
VALUES ('local', 'eip3009'), ('circle', 'eip3009'), ('circle_send', 'provider');

-- The provider that holds the keys of people's wallets and of the treasury, the networks whose wallets are at another
-- provider, and by provider the account that contains all our wallets there. Our own seed has a fingerprint instead.
-- Relayers always use keys of our own seed. Docs: docs/decisions/0033-circle.md.
ALTER TABLE wallet_seeds
  ADD COLUMN wallet_provider text NOT NULL DEFAULT 'local' REFERENCES wallet_providers,
  ADD COLUMN network_wallets jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(network_wallets) = 'object'),
  ADD COLUMN accounts jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(accounts) = 'object'),
  ADD CONSTRAINT wallet_seeds_account_check CHECK (wallet_provider = 'local' OR accounts ? wallet_provider);

-- When a refresh can be repeated. While servers of 0.2.0 run, which neither read nor write these columns, only the
-- minute limits repetitions. `used_at`: the first use of an access token that a refresh issued; from then on the refresh
-- cannot be repeated. `replaced`: the refresh was repeated and issued another token, so a client that uses this one has
-- received the answer that seemed lost, and two parties hold the session.
ALTER TABLE session_tokens
  ADD COLUMN used_at  timestamptz,
  ADD COLUMN replaced boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT session_tokens_used_check CHECK (kind = 'access' OR used_at IS NULL) NOT VALID,
  ADD CONSTRAINT session_tokens_replaced_check CHECK (NOT replaced OR (kind = 'refresh' AND spent_at IS NOT NULL)) NOT VALID;

-- `read` and `send` belong to the Web3 API, the others to the Backend API. No key works on both.
ALTER TABLE service_keys
  DROP CONSTRAINT service_keys_scopes_check,
  ADD CONSTRAINT service_keys_scopes_check CHECK (cardinality(scopes) > 0
    AND (scopes <@ ARRAY['read', 'send'] OR scopes <@ ARRAY['events', 'webhooks', 'payouts']));

-- What a service key may do. A key without a row was created by 0.2.0: it may do what its scopes say, without limits.
CREATE TABLE key_rules (
  key_id          uuid PRIMARY KEY REFERENCES service_keys,
  -- NULL: never.
  expires_at      timestamptz,
  -- SHA-256 of the client certificate that the key requires. NULL: none.
  certificate     bytea CHECK (octet_length(certificate) = 32),
  -- The key may spend the money of every person; otherwise only of those in `key_payers`.
  any_person      boolean NOT NULL,
  -- The key may send to every address; otherwise only to those in `key_destinations`.
  any_destination boolean NOT NULL,
  -- NULL: all.
  blockchains     text[] CHECK (cardinality(blockchains) > 0),
  -- The networks from which the key works. NULL: all.
  client_ranges   cidr[] CHECK (cardinality(client_ranges) > 0)
);

-- Whose money a key may spend: all wallets of a person, or one wallet.
CREATE TABLE key_payers (
  key_id    uuid NOT NULL REFERENCES key_rules,
  user_id   uuid REFERENCES users,
  wallet_id uuid REFERENCES wallets,
  CHECK (num_nonnulls(user_id, wallet_id) = 1),
  UNIQUE NULLS NOT DISTINCT (key_id, user_id, wallet_id)
);

-- The addresses that a key may send to, as ranges. A single address is the first and the last of its range.
CREATE TABLE key_destinations (
  key_id        uuid NOT NULL REFERENCES key_rules,
  first_address text COLLATE "C" NOT NULL CHECK (first_address ~ '^0x[0-9a-f]{40}$'),
  last_address  text COLLATE "C" NOT NULL CHECK (last_address ~ '^0x[0-9a-f]{40}$'),
  PRIMARY KEY (key_id, first_address, last_address),
  CHECK (first_address <= last_address)
);

-- How much a key may spend of people's money and of the treasury's, in rolling windows of whole hours (see `hour_of`).
-- No person watches the treasury's balance as their own, so a key that may spend it must have all three limits.
-- `hour_spent` counts the hour of the last spending; `day_spent` and `month_spent` count the hours before it, which are
-- rows of `key_spendings`.
CREATE TABLE key_budgets (
  key_id        uuid NOT NULL REFERENCES key_rules,
  pays          text NOT NULL CHECK (pays IN ('people', 'treasury')),
  allowed       boolean NOT NULL,
  payment_limit bigint CHECK (payment_limit > 0),
  day_limit     bigint CHECK (day_limit > 0),
  month_limit   bigint CHECK (month_limit > 0),
  -- Spending is counted from this time on, while there is a limit per day or month.
  counted_since timestamptz,
  hour          integer NOT NULL DEFAULT 0,
  hour_spent    bigint NOT NULL DEFAULT 0 CHECK (hour_spent >= 0),
  day_spent     bigint NOT NULL DEFAULT 0 CHECK (day_spent >= 0),
  month_spent   bigint NOT NULL DEFAULT 0 CHECK (month_spent >= day_spent),
  PRIMARY KEY (key_id, pays),
  CHECK ((counted_since IS NULL) = (num_nonnulls(day_limit, month_limit) = 0)),
  CONSTRAINT key_budgets_treasury_is_limited
    CHECK (pays <> 'treasury' OR NOT allowed OR num_nonnulls(payment_limit, day_limit, month_limit) = 3)
) WITH (fillfactor = 50);

CREATE TABLE key_spendings (
  key_id uuid NOT NULL,
  pays   text NOT NULL,
  hour   integer NOT NULL,
  spent  bigint NOT NULL CHECK (spent >= 0),
  PRIMARY KEY (key_id, pays, hour),
  FOREIGN KEY (key_id, pays) REFERENCES key_budgets
);

-- Amounts of payments that ended unpaid, until the next payment of the key subtracts them from its budget. They are
-- separate rows because of the lock order: ending a payment locks accounts, and accepting one locks the budget before
-- accounts.
CREATE TABLE key_refunds (
  payment_id uuid PRIMARY KEY REFERENCES payments,
  key_id     uuid NOT NULL,
  pays       text NOT NULL,
  hour       integer NOT NULL,
  amount     bigint NOT NULL CHECK (amount > 0),
  FOREIGN KEY (key_id, pays) REFERENCES key_budgets
);
CREATE INDEX key_refunds_of_budget ON key_refunds (key_id, pays);

-- Every change of what a key may do. Append-only.
CREATE TABLE key_changes (
  change_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id     uuid NOT NULL REFERENCES service_keys,
  before     jsonb,
  after      jsonb NOT NULL,
  -- The database login.
  changed_by text NOT NULL,
  reason     text CHECK (length(reason) BETWEEN 1 AND 500),
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX key_changes_of_key ON key_changes (key_id, change_id);
