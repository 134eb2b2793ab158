-- What a service key may spend, and which key asked for a payment. A key without a row in `key_rules` is from the previous
-- release: it may do what its scopes say, without limits, as before.

CREATE TABLE key_rules (
  key_id          uuid PRIMARY KEY REFERENCES service_keys,
  -- NULL: never.
  expires_at      timestamptz,
  -- SHA-256 of the client certificate with which alone the key works. NULL: it needs none.
  certificate     bytea CHECK (octet_length(certificate) = 32),
  -- Whether it may spend the money of every person; else of those in `key_payers`.
  any_person      boolean NOT NULL,
  -- Whether it may send to every address; else to those in `key_destinations`.
  any_destination boolean NOT NULL,
  -- NULL: all.
  blockchains     text[] CHECK (cardinality(blockchains) > 0)
);

-- Whose money a key may spend: all of a person's wallets, or one wallet.
CREATE TABLE key_payers (
  key_id    uuid NOT NULL REFERENCES key_rules,
  user_id   uuid REFERENCES users,
  wallet_id uuid REFERENCES wallets,
  CHECK (num_nonnulls(user_id, wallet_id) = 1),
  UNIQUE NULLS NOT DISTINCT (key_id, user_id, wallet_id)
);

-- The addresses a key may send to: from the first to the last of a range, or one address that is both.
CREATE TABLE key_destinations (
  key_id        uuid NOT NULL REFERENCES key_rules,
  first_address text COLLATE "C" NOT NULL CHECK (first_address ~ '^0x[0-9a-f]{40}$'),
  last_address  text COLLATE "C" NOT NULL CHECK (last_address ~ '^0x[0-9a-f]{40}$'),
  PRIMARY KEY (key_id, first_address, last_address),
  CHECK (first_address <= last_address)
);

-- How much a key may spend of people's money and of the treasury, in rolling windows of whole hours (see `hour_of`). The
-- treasury's money is nobody's own, so whoever may spend it has all three limits. `hour_spent` counts the hour of the last
-- spending; `day_spent` and `month_spent` count the hours before it, which are rows of `key_spendings`.
CREATE TABLE key_budgets (
  key_id        uuid NOT NULL REFERENCES key_rules,
  pays          text NOT NULL CHECK (pays IN ('people', 'treasury')),
  allowed       boolean NOT NULL,
  payment_limit bigint CHECK (payment_limit > 0),
  day_limit     bigint CHECK (day_limit > 0),
  month_limit   bigint CHECK (month_limit > 0),
  -- Spending is counted while there is a limit of day or month, from this moment on.
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

-- What came back from payments that ended unpaid, until the next payment of the key takes it out of its budget. Rows of
-- their own: whoever ends a payment holds locks on accounts, and those who accept one lock the budget before accounts.
CREATE TABLE key_refunds (
  payment_id uuid PRIMARY KEY REFERENCES payments,
  key_id     uuid NOT NULL,
  pays       text NOT NULL,
  hour       integer NOT NULL,
  amount     bigint NOT NULL CHECK (amount > 0),
  FOREIGN KEY (key_id, pays) REFERENCES key_budgets
);
CREATE INDEX key_refunds_of_budget ON key_refunds (key_id, pays);

-- Every change of what a key may do: who, when, why, from what to what. Append-only.
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

-- The key that asked for a payment; NULL when none was needed (in the sandbox) or the payment is older. NOT VALID: only
-- new rows can have one, and looking through the old ones would keep payments waiting. No index: every send would pay for
-- one, and the audit log finds the payments of a key.
ALTER TABLE payments ADD COLUMN key_id uuid;
ALTER TABLE payments ADD CONSTRAINT payments_key_id_fkey FOREIGN KEY (key_id) REFERENCES service_keys NOT VALID;
-- Keys are actors too.
ALTER TABLE audit_log DROP CONSTRAINT audit_log_actor_check;
ALTER TABLE audit_log
  ADD CONSTRAINT audit_log_actor_check CHECK (actor ~ '^(user|operator|provider|service|key):.') NOT VALID;
-- They have more arguments now; no release has these.
DROP FUNCTION IF EXISTS ledger_hold_many(uuid[], bigint[], bigint[], bigint[]);
DROP FUNCTION IF EXISTS find_key_refusals(uuid[]);

-- Operators are known by their database logins: these functions no longer take a name. No release has them.
DROP FUNCTION IF EXISTS propose_correction(uuid, smallint, uuid, bigint, text, text);
DROP FUNCTION IF EXISTS approve_correction(uuid, text);
DROP FUNCTION IF EXISTS confirm_restore(text, text);
DROP FUNCTION IF EXISTS refuse_unnamed(text);
