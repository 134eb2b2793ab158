-- Payments since 0.2.0: amounts and fees, the key that requested a payment, refunds, requests for money, and the list of
-- people and addresses that a person has paid. This file comes before the one of the ledger, which drops the primary key
-- that the first foreign key below refers to.

-- `key_id`: the service key that requested the payment. NULL: none was needed (in the sandbox), or the payment is older.
-- It has no index, because every send would pay for it, and the audit log finds the payments of a key.
--
-- `amount` and `fee`: what the payment pays and what the service charges for it; the hold is their sum. Nothing is
-- charged today. Limits of people and keys count the hold, so they include a fee. `amount` is NULL only in rows from
-- before: their fee is 0, so the hold is the amount. `florin migrate --finish` fills them, because updating every row
-- here would delay sends. `fill_amount` fills rows that 0.2.0 inserts. `record_first_state` refuses a new row that does
-- not match its hold, and `record_state` refuses any change.
--
-- Functions replace three foreign keys: `record_first_state` and `guard_events` check a payment's transfer and wallet and an
-- event's payment, once for all rows of a statement. A foreign key looks up and locks each row separately, which was a
-- fifth of the cost of accepting a send. These rows are never deleted, and their ids never change.
--
-- NOT VALID: existing rows need no check, and reading them would delay sends.
ALTER TABLE payments
  DROP CONSTRAINT payments_payment_id_fkey,
  DROP CONSTRAINT payments_wallet_id_fkey,
  ADD COLUMN key_id uuid,
  ADD COLUMN amount bigint,
  ADD COLUMN fee bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT payments_key_id_fkey FOREIGN KEY (key_id) REFERENCES service_keys NOT VALID,
  ADD CONSTRAINT payments_amount_check CHECK (amount > 0) NOT VALID,
  ADD CONSTRAINT payments_fee_check CHECK (fee >= 0) NOT VALID;
ALTER TABLE payment_events DROP CONSTRAINT payment_events_payment_id_fkey;

-- Addresses are compared in lower case on every blockchain, so base58 addresses lose their case here.
ALTER TABLE recipients
  DROP CONSTRAINT recipients_address_check,
  ADD CONSTRAINT recipients_address_check CHECK (address ~ '^(0x([0-9a-f]{40}|[0-9a-f]{64})|[1-9a-z]{32,44})$') NOT VALID;

-- What sends to addresses wait for, and whether the treasury can be spent without a service key, which only a sandbox
-- allows. Workers store their configuration here (`keep_send_rules`). The stricter of these rules and the caller's
-- applies: a compromised server can neither write this table nor call that function.
CREATE TABLE send_rules (
  only_one            boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  -- In millionths. NULL: no amount needs approval.
  approval_threshold  bigint CHECK (approval_threshold > 0),
  -- In seconds.
  new_recipient_delay integer NOT NULL DEFAULT 0 CHECK (new_recipient_delay >= 0),
  has_open_treasury   boolean NOT NULL DEFAULT false
);
INSERT INTO send_rules DEFAULT VALUES;

-- The columns are the names in the JSON of the server. `accept_sends` explains them.
CREATE TYPE new_send AS (
  id uuid, caller uuid, certificate text, client inet, asked boolean, hash text, trace text, blockchain text, destination text,
  amount bigint, wallet uuid, username text, person uuid, session uuid, shown text, currency text
);

-- The people and addresses that a person has paid, for the list of recipients and the warning about a first payment. A
-- payment writes nothing here: `note_payees` adds what is new in the ledger when a client asks.
-- Docs: docs/decisions/0028-own-view.md.
CREATE TABLE payees (
  user_id    uuid NOT NULL REFERENCES users,
  person     uuid REFERENCES users,
  -- Shown to people, so base58 addresses keep their case; others are in lower case.
  address    text CHECK (address ~ '^(0x([0-9a-f]{40}|[0-9a-f]{64})|[1-9A-HJ-NP-Za-km-z]{32,44})$'),
  -- The newest payment: its `seq`, its time and its asset.
  last_seq   bigint NOT NULL,
  last_at    timestamptz NOT NULL,
  last_asset smallint NOT NULL REFERENCES assets,
  payments   bigint NOT NULL CHECK (payments > 0),
  CONSTRAINT payees_one_kind CHECK ((person IS NULL) <> (address IS NULL)),
  CONSTRAINT payees_other CHECK (person IS DISTINCT FROM user_id)
);
CREATE UNIQUE INDEX payees_person ON payees (user_id, person) WHERE person IS NOT NULL;
CREATE UNIQUE INDEX payees_address ON payees (user_id, address) WHERE address IS NOT NULL;
CREATE UNIQUE INDEX payees_newest ON payees (user_id, last_seq);

-- The rows of each account up to this number are in `payees`.
CREATE TABLE payee_reads (
  account_id bigint PRIMARY KEY REFERENCES accounts,
  entry      bigint NOT NULL CHECK (entry >= 0)
);

-- A person asks another for money. A request names people, not usernames, so it survives a rename. Only functions of the
-- module `payments` write it; `guard_money_request` refuses every other change.
-- Docs: docs/decisions/0029-requests-export-closing.md.
CREATE TABLE money_requests (
  -- Also the id of its payment.
  request_id uuid PRIMARY KEY,
  asker_id   uuid NOT NULL REFERENCES users,
  -- The person who is asked. With `by_link`, anyone who has the id can pay, and the payer is stored here afterwards.
  payer_id   uuid REFERENCES users,
  by_link    boolean NOT NULL,
  amount     bigint NOT NULL CHECK (amount > 0),
  note       text CHECK (length(note) BETWEEN 1 AND 140),
  -- A request counts as expired from `expires_at` on; a worker stores the state soon after.
  state      text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid', 'declined', 'cancelled', 'expired')),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  ended_at   timestamptz,
  CONSTRAINT money_requests_of_two CHECK (asker_id <> payer_id),
  CONSTRAINT money_requests_payer CHECK ((payer_id IS NOT NULL) = (NOT by_link OR state = 'paid')),
  CONSTRAINT money_requests_links_stay_undeclined CHECK (NOT by_link OR state <> 'declined'),
  CONSTRAINT money_requests_lasting CHECK (expires_at > created_at AND expires_at <= created_at + interval '366 days'),
  CONSTRAINT money_requests_end CHECK ((state = 'open') = (ended_at IS NULL)),
  CONSTRAINT money_requests_in_time
    CHECK (ended_at IS NULL OR (state = 'expired') = (ended_at >= expires_at))
);
CREATE INDEX money_requests_of_asker ON money_requests (asker_id, created_at DESC, request_id DESC);
CREATE INDEX money_requests_of_payer ON money_requests (payer_id, created_at DESC, request_id DESC);
CREATE INDEX money_requests_open ON money_requests (expires_at) WHERE state = 'open';
CREATE INDEX money_requests_open_of_asker ON money_requests (asker_id) WHERE state = 'open';

-- One row per state that a request has reached, in the order of the feed: no two events share a `seq`.
CREATE TABLE money_request_events (
  seq        bigint PRIMARY KEY,
  request_id uuid NOT NULL REFERENCES money_requests,
  state      text NOT NULL,
  at         timestamptz NOT NULL,
  UNIQUE (request_id, state)
);

-- A refund is a payment: its id is also the id of its row in `transfers`. This table says which payment it returns, in
-- whole or in part, and who decided that. 0.2.0 shows a refund as a payment. Docs: docs/decisions/0027-refunds.md.
CREATE TABLE refunds (
  refund_id   uuid PRIMARY KEY,
  payment_id  uuid NOT NULL,
  -- Who pays it: the receiver of the payment, or the treasury, which needs two operators.
  source      text NOT NULL CHECK (source IN ('receiver', 'treasury')),
  amount      bigint NOT NULL CHECK (amount > 0),
  -- Shown to customers.
  reason      text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  -- Database logins.
  proposed_by text NOT NULL CHECK (length(proposed_by) BETWEEN 1 AND 100),
  proposed_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  approved_by text CHECK (length(approved_by) BETWEEN 1 AND 100),
  -- When the money moved. NULL: it waits for a second operator, or was denied.
  booked_at   timestamptz,
  denied_by   text CHECK (length(denied_by) BETWEEN 1 AND 100),
  denied_at   timestamptz,
  CONSTRAINT refunds_two_people CHECK (approved_by <> proposed_by),
  CONSTRAINT refunds_of_treasury_approved CHECK (CASE source
    WHEN 'treasury' THEN (approved_by IS NULL) = (booked_at IS NULL)
    ELSE approved_by IS NULL AND booked_at IS NOT NULL END),
  CONSTRAINT refunds_booked_or_denied CHECK (denied_at IS NULL OR booked_at IS NULL),
  CHECK ((denied_by IS NULL) = (denied_at IS NULL)),
  CONSTRAINT refunds_of_another CHECK (refund_id <> payment_id)
);
CREATE INDEX refunds_of_payment ON refunds (payment_id);
CREATE INDEX refunds_open ON refunds (proposed_at) WHERE booked_at IS NULL AND denied_at IS NULL;

-- The refunded amount per payment. Refunds of one payment lock this row, so the check sees their sum. Only the trigger
-- of `refunds` writes it (`count_refund`).
CREATE TABLE refund_totals (
  payment_id uuid PRIMARY KEY,
  -- The amount of the payment.
  paid       bigint NOT NULL CHECK (paid > 0),
  refunded   bigint NOT NULL DEFAULT 0 CHECK (refunded >= 0),
  CONSTRAINT refunds_never_more CHECK (refunded <= paid)
);
