-- Who is owed what, in double entry, and what people may spend. Written only by the functions of the room `ledger`
-- (`sql/functions/ledger`). No login of ours can move money or edit history with a statement of its own.

-- A blockchain that we are connected to. Cursors, relayers and pauses belong to the network, not to its tokens.
CREATE TABLE networks (
  network_id      smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  blockchain      text NOT NULL UNIQUE CHECK (blockchain ~ '^[A-Z0-9][A-Z0-9-]{1,31}$'),
  -- NULL until a worker has asked its nodes. From then on only nodes with this chain id are used.
  chain_id        bigint CHECK (chain_id > 0),
  family          text NOT NULL DEFAULT 'evm' CHECK (family IN ('evm', 'solana', 'aptos')),
  -- The provider of the wallets that hold people's coins there.
  wallet_provider text NOT NULL DEFAULT 'local' CHECK (wallet_provider ~ '^[a-z][a-z0-9_]*$')
);

-- A token on one network is one asset.
CREATE TABLE assets (
  asset_id   smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  network_id smallint NOT NULL REFERENCES networks,
  symbol     text NOT NULL DEFAULT 'USDC' CHECK (symbol ~ '^[A-Z][A-Z0-9.]{1,15}$'),
  -- NULL until a worker has asked the contract. From then on only its logs count.
  contract   text CHECK (length(contract) BETWEEN 1 AND 100),
  decimals   smallint NOT NULL DEFAULT 6 CHECK (decimals BETWEEN 0 AND 18),
  UNIQUE (network_id, symbol)
);
CREATE UNIQUE INDEX assets_contract ON assets (network_id, lower(contract));

-- The only place that says which wallet holds an owner's coins of an asset. The treasury has no `user_id`.
CREATE VIEW owner_wallets AS
  SELECT s.asset_id, w.kind, w.user_id, w.wallet_id, w.address
    FROM assets s JOIN networks n USING (network_id)
    JOIN wallets w ON w.provider = n.wallet_provider AND w.family = n.family AND w.replaced_at IS NULL;

-- What a person may spend per payment, in 24 hours and in 30 days, and how many payments they may make in 24 hours;
-- NULL is no limit. With `payment_limit` 0 the people of a tier cannot pay at all.
CREATE TABLE tiers (
  tier          smallint PRIMARY KEY,
  name          text NOT NULL UNIQUE,
  payment_limit bigint CHECK (payment_limit >= 0),
  day_limit     bigint CHECK (day_limit >= 0),
  month_limit   bigint CHECK (month_limit >= 0),
  day_payments  integer CHECK (day_payments >= 0)
);
INSERT INTO tiers (tier, name, payment_limit, day_limit, month_limit, day_payments) VALUES
  (0, 'unlimited', NULL, NULL, NULL, NULL),
  (10, 'unverified', 100000000, 250000000, 1000000000, 20),
  (20, 'verified', 10000000000, 25000000000, 100000000000, 1000),
  (30, 'stopped', 0, 0, 0, 0);

-- A person's tier follows from the status of their identity check. A change applies, in the same commit, to everyone
-- with that status.
CREATE TABLE kyc_tiers (
  kyc_status text PRIMARY KEY,
  tier       smallint NOT NULL REFERENCES tiers
);
INSERT INTO kyc_tiers (kyc_status, tier) VALUES
  ('none', 10), ('started', 10), ('pending', 10), ('needs_input', 10), ('approved', 20), ('rejected', 30), ('revoked', 30);

-- Every change of a tier: who, when, why, from what to what. A trigger writes it, so changes made by hand are here too.
CREATE TABLE tier_changes (
  change_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tier       smallint NOT NULL REFERENCES tiers,
  before     jsonb,
  after      jsonb NOT NULL,
  changed_by text NOT NULL,
  reason     text,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The same for the tier that an identity check gives.
CREATE TABLE kyc_tier_changes (
  change_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kyc_status text NOT NULL REFERENCES kyc_tiers,
  before     smallint REFERENCES tiers,
  after      smallint NOT NULL REFERENCES tiers,
  changed_by text NOT NULL,
  reason     text,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row per owner and asset. `entries` numbers the account's rows in `transfers` without gaps, under this row's lock,
-- so the order of an account statement does not depend on clocks. The spending counters are here too, so that limits
-- need no second row: `hour` is the hour of the last spending (hours since 1970; it only grows), `hour_spent` and
-- `hour_payments` count that hour, the others the day and the month that end with it. A person's counters are in their
-- account of the home asset, also for what they send in other assets. Only `chain` (coins outside) and `loss` may go
-- below zero: when a reorg below finality removes a credited deposit, the service bears the loss. fillfactor: updates
-- change no indexed column and fit on the same page (HOT).
CREATE TABLE accounts (
  account_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  asset_id    smallint NOT NULL REFERENCES assets,
  kind        text NOT NULL CHECK (kind IN ('user', 'treasury', 'fees', 'loss', 'chain')),
  user_id     uuid REFERENCES users,
  -- Follows from the person's identity check: `set_first_tier`, `follow_kyc`, `follow_kyc_tier`.
  tier        smallint NOT NULL REFERENCES tiers,
  -- The person may not pay; why is in `pauses`.
  paused      boolean NOT NULL DEFAULT false,
  available   bigint NOT NULL DEFAULT 0,
  held        bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  entries     bigint NOT NULL DEFAULT 0,
  hour          integer NOT NULL DEFAULT 0,
  hour_payments integer NOT NULL DEFAULT 0 CHECK (hour_payments >= 0),
  hour_spent    bigint NOT NULL DEFAULT 0 CHECK (hour_spent >= 0),
  day_payments  integer NOT NULL DEFAULT 0 CHECK (day_payments >= 0),
  day_spent     bigint NOT NULL DEFAULT 0 CHECK (day_spent >= 0),
  month_spent   bigint NOT NULL DEFAULT 0 CHECK (month_spent >= 0),
  CONSTRAINT accounts_never_overdrawn CHECK (available >= 0 OR kind IN ('chain', 'loss')),
  CHECK ((kind = 'user') = (user_id IS NOT NULL))
) WITH (fillfactor = 40);
CREATE UNIQUE INDEX accounts_of_user ON accounts (user_id, asset_id) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX accounts_of_house ON accounts (kind, asset_id) WHERE user_id IS NULL;

-- Past hours of spending, as long as they count for the rolling limits. Written when an account first spends in a new
-- hour, so most payments write nothing here.
CREATE TABLE spendings (
  account_id bigint NOT NULL REFERENCES accounts,
  hour       integer NOT NULL,
  payments   integer NOT NULL CHECK (payments >= 0),
  spent      bigint NOT NULL CHECK (spent >= 0),
  PRIMARY KEY (account_id, hour)
);

-- One row moves one amount from one account to another, so the books always balance. A user's payment is only this row:
-- it is the transfer, the idempotency record (the id is made from the key, and the row has the request) and the event
-- (`seq`). Docs: docs/decisions/0002-one-row-per-payment.md.
--
-- What a kind moves, `h` being the amount of the hold:
--   user, deposit, internal   debit.available − amount                                credit.available + amount
--   hold                      debit.available − amount         debit.held + amount
--   post                      debit.available + (h − amount)   debit.held − h         credit.available + amount
--   release                   debit.available + h              debit.held − h
--
-- There are no foreign keys to `accounts`: each costs a locking query per row, and `ledger_move` and `ledger_pay_users`
-- insert only rows whose accounts they have just locked.
CREATE TABLE transfers (
  transfer_id      uuid PRIMARY KEY,
  seq              bigint NOT NULL,
  debit_account    bigint NOT NULL,
  credit_account   bigint NOT NULL,
  amount           bigint NOT NULL CHECK (amount > 0),
  debit_entry      bigint NOT NULL,
  credit_entry     bigint,
  -- Balances after this row; `debit_held` only where the row changed it.
  debit_available  bigint NOT NULL,
  credit_available bigint,
  debit_held       bigint,
  created_at       timestamptz NOT NULL,
  asset_id         smallint NOT NULL,
  kind             text NOT NULL CHECK (kind IN ('user', 'deposit', 'internal', 'hold', 'post', 'release')),
  hold_id          uuid,
  -- The names at the time of the payment; `typed_name` is the receiver's old name, if the sender used it. For a
  -- deposit, `from_name` is the address it came from.
  from_name        text,
  to_name          text,
  typed_name       text,
  CHECK (debit_account <> credit_account),
  CHECK ((kind IN ('post', 'release')) = (hold_id IS NOT NULL)),
  CHECK ((kind IN ('hold', 'release')) = (credit_entry IS NULL)),
  CHECK ((credit_entry IS NULL) = (credit_available IS NULL)),
  CHECK ((kind IN ('hold', 'post', 'release')) = (debit_held IS NOT NULL))
);
CREATE UNIQUE INDEX transfers_by_seq ON transfers (seq);
CREATE UNIQUE INDEX transfers_by_debit ON transfers (debit_account, debit_entry);
CREATE UNIQUE INDEX transfers_by_credit ON transfers (credit_account, credit_entry);
-- A hold ends once.
CREATE UNIQUE INDEX transfers_hold_ended ON transfers (hold_id) WHERE hold_id IS NOT NULL;

-- `seq` is (database transaction id × 65,536 + place in it) + seq_base. Every row with a seq below
-- `ledger_settled_seq()` has been committed or never will be, so a reader that stays below it misses nothing; a plain
-- sequence cannot guarantee that. `names_epoch` counts changes of usernames that could make a resolved name wrong.
-- `sessions_epoch` counts ends of sessions and of access tokens. Reading every session in every batch cost 15 µs per
-- payment; instead a process remembers sessions, and the statement that pays compares this counter, so an ended session
-- cannot pay from that moment on. `home_asset` is the asset that people pay each other with; NULL until a server has
-- started.
CREATE TABLE ledger_state (
  only_one       boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  home_asset     smallint REFERENCES assets,
  names_epoch    bigint NOT NULL DEFAULT 1,
  sessions_epoch bigint NOT NULL DEFAULT 0,
  seq_base       bigint NOT NULL DEFAULT 0
);
INSERT INTO ledger_state DEFAULT VALUES;
