-- The ledger since 0.2.0: currencies, epochs that survive lost commits, indexes of `transfers` that stay fast while it
-- grows, corrections and debts. Processes of 0.2.0 ignore the new columns and tables.

-- A counter alone can reach the same number twice: after a failover that lost commits, or in a restored backup, other
-- changes count it up again, and an idle process does not notice. An epoch is therefore a counter and 64 random bits
-- (`ledger_note_epoch`). A process trusts what it remembers only if both equal the database's.
-- Docs: docs/decisions/0019-epochs.md.
--
-- This table comes first, because payments also read it first.
ALTER TABLE ledger_state
  ADD COLUMN names_random    bigint NOT NULL DEFAULT 0,
  ADD COLUMN sessions_random bigint NOT NULL DEFAULT 0,
  -- The last counter of `names_epoch` that can invalidate what a process remembers: a rename or a release of a name.
  -- New names and new accounts also begin an epoch, but invalidate nothing.
  ADD COLUMN names_changed   bigint NOT NULL DEFAULT 0;
UPDATE ledger_state SET names_changed = names_epoch,
  names_random = ('x' || left(gen_random_uuid()::text, 8) || right(gen_random_uuid()::text, 8))::bit(64)::bigint,
  sessions_random = ('x' || left(gen_random_uuid()::text, 8) || right(gen_random_uuid()::text, 8))::bit(64)::bigint;

-- The last 10,000 epochs of each kind. An epoch that should be here and is not was lost with its commits.
CREATE TABLE epochs (
  kind     text NOT NULL CHECK (kind IN ('names', 'sessions')),
  counter  bigint NOT NULL,
  random   bigint NOT NULL,
  begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (kind, counter)
);
INSERT INTO epochs (kind, counter, random)
SELECT kind, counter, random FROM ledger_state,
  LATERAL (VALUES ('names', names_epoch, names_random), ('sessions', sessions_epoch, sessions_random))
    AS e(kind, counter, random);

-- Currencies are rows, so that no function names one and a token cannot have other decimals than its currency. A migration
-- adds a currency, together with its tiers. `assets.symbol` is the currency of a token.
CREATE TABLE currencies (
  currency text PRIMARY KEY CHECK (currency ~ '^[A-Z][A-Z0-9.]{1,15}$'),
  decimals smallint NOT NULL CHECK (decimals BETWEEN 0 AND 18),
  -- For the foreign key of `assets`.
  UNIQUE (currency, decimals)
);
INSERT INTO currencies (currency, decimals) VALUES ('USDC', 6);

-- The default of `decimals` stays: the function with which 0.2.0 opens assets omits it.
--
-- The name in the token's EIP-712 domain, which differs between networks. A worker reads it from the contract, so that
-- the signer needs no node. With a wrong name, the token refuses the signatures.
ALTER TABLE assets
  ADD COLUMN token_name text CHECK (length(token_name) BETWEEN 1 AND 100),
  ALTER COLUMN symbol DROP DEFAULT,
  ADD FOREIGN KEY (symbol, decimals) REFERENCES currencies (currency, decimals);

-- Limits are amounts of a currency, and a status of the identity check has one tier per currency. The defaults only fill
-- existing rows.
ALTER TABLE tiers ADD COLUMN currency text NOT NULL DEFAULT 'USDC' REFERENCES currencies, ADD UNIQUE (tier, currency);
ALTER TABLE tiers ALTER COLUMN currency DROP DEFAULT;
ALTER TABLE kyc_tier_changes DROP CONSTRAINT kyc_tier_changes_kyc_status_fkey;
ALTER TABLE kyc_tiers
  DROP CONSTRAINT kyc_tiers_pkey,
  ADD COLUMN currency text NOT NULL DEFAULT 'USDC',
  ADD PRIMARY KEY (kyc_status, currency),
  ADD FOREIGN KEY (tier, currency) REFERENCES tiers (tier, currency);
ALTER TABLE kyc_tiers ALTER COLUMN currency DROP DEFAULT;

-- The `seq` of the account's row with the number `last_entry`. This is the account's last row only if `last_entry`
-- equals `entries`; otherwise the next row names no previous row.
ALTER TABLE accounts
  ADD COLUMN last_seq   bigint,
  ADD COLUMN last_entry bigint;

-- Two indexes by account made writing slower with every row: each payment changed a page of each index that no other
-- payment changed, and the first change of a page after a checkpoint writes the whole page to the log. Now a payment
-- names the previous row in the history of both accounts, and `ledger_entries` reads a history by following these names.
-- Docs: docs/decisions/0018-growth-of-writing.md.
--
-- `debit_prev` and `credit_prev` are the `seq` of the account's previous row. NULL: the index finds that row, or the
-- account's first, by its number. The index therefore contains every row that cannot be reached by name: rows that name
-- no previous row, and rows other than payments between people. It also contains every 32nd row, so that reading can
-- begin anywhere.
ALTER TABLE transfers
  ADD COLUMN debit_prev  bigint,
  ADD COLUMN credit_prev bigint;

-- A new database starts with the small indexes. An upgraded one keeps the old ones, which processes of 0.2.0 read, until
-- `migrate --finish` replaces them without long locks (docs/operating/upgrade.md).
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM transfers) THEN
    DROP INDEX transfers_by_debit, transfers_by_credit;
    CREATE UNIQUE INDEX transfers_debit_posts ON transfers (debit_account, debit_entry)
      WHERE debit_prev IS NULL OR debit_entry % 32 = 0 OR kind <> 'user';
    CREATE UNIQUE INDEX transfers_credit_posts ON transfers (credit_account, credit_entry)
      WHERE credit_prev IS NULL OR credit_entry % 32 = 0 OR kind <> 'user';
  END IF;
END $$;

-- What owners owe the service: the chain paid more for them than they had, and `loss` paid the rest.
CREATE TABLE debts (
  -- The payment that was imported.
  payment_id uuid PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts,
  amount     bigint NOT NULL CHECK (amount > 0),
  -- The part that was collected since then.
  collected  bigint NOT NULL DEFAULT 0 CHECK (collected >= 0),
  owed_since timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT debts_collected_once CHECK (collected <= amount)
);
CREATE INDEX debts_open ON debts (account_id) WHERE collected < amount;

-- Differences that operators book to `loss`. One operator proposes a correction, and the approval of another books it.
CREATE TABLE corrections (
  correction_id uuid PRIMARY KEY,
  asset_id      smallint NOT NULL REFERENCES assets,
  -- The owner of this wallet gets the amount from `loss`, or pays it. NULL: no owner; the correction changes the
  -- ledger's account of what is on the chain.
  wallet_id     uuid REFERENCES wallets,
  -- Positive: the owner gets it, or the chain has it. Negative: the owner pays it, or the chain does not have it.
  amount        bigint NOT NULL CHECK (amount <> 0),
  reason        text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  proposed_by   text NOT NULL CHECK (length(proposed_by) BETWEEN 1 AND 100),
  proposed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  approved_by   text CHECK (length(approved_by) BETWEEN 1 AND 100),
  booked_at     timestamptz,
  CONSTRAINT corrections_two_people CHECK (approved_by <> proposed_by),
  CHECK ((approved_by IS NULL) = (booked_at IS NULL))
);
CREATE INDEX corrections_open ON corrections (proposed_at) WHERE booked_at IS NULL;

-- Members of a batch: functions take an array of one of these types instead of one array per column.
CREATE TYPE new_hold AS (id uuid, debit bigint, credit bigint, amount bigint, budget_at integer);
CREATE TYPE new_payment AS (id uuid, credit bigint, amount bigint, to_name text, requested_name text);
