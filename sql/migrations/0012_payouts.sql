-- Payouts: payments to many people and addresses from one file. Docs: docs/decisions/0038-payouts.md.

-- A checked file and its progress. Only functions of `sql/functions/payouts` write it; `guard_payout` refuses every other
-- change.
CREATE TABLE payouts (
  payout_id        uuid PRIMARY KEY,
  -- The service key that created it. The payout pays within the rules and limits of this key, and only this key sees it.
  key_id           uuid NOT NULL REFERENCES service_keys,
  -- Whose money it spends. NULL: the treasury's.
  payer_id         uuid REFERENCES users,
  -- What happens to rows that exceed the balance or a limit.
  on_shortage      text NOT NULL CHECK (on_shortage IN ('wait', 'fail')),
  state            text NOT NULL DEFAULT 'checked' CHECK (state IN
    ('checked', 'approving', 'running', 'waiting', 'stopping', 'complete', 'cancelled')),
  -- Of the file; and of these rows, those whose references were paid before.
  row_count        integer NOT NULL CHECK (row_count BETWEEN 1 AND 10000),
  total            bigint NOT NULL CHECK (total > 0),
  known_count      integer NOT NULL CHECK (known_count BETWEEN 0 AND row_count),
  known_total      bigint NOT NULL CHECK (known_total BETWEEN 0 AND total),
  created_at       timestamptz NOT NULL,
  confirmed_at     timestamptz,
  -- Until when rows wait for money or for a limit; then they fail.
  waits_until      timestamptz,
  -- Why rows wait, as code and details of an error.
  waits_for        jsonb,
  -- Two operators approve it before anything is paid.
  approvals_needed smallint NOT NULL DEFAULT 0 CHECK (approvals_needed IN (0, 2)),
  -- Certificate and address of the caller who confirmed it; a key may require both (see `find_key_refusals`).
  certificate      bytea CHECK (octet_length(certificate) = 32),
  client           inet,
  cancelled_at     timestamptz,
  ended_at         timestamptz,
  -- Of all rows.
  currency         text NOT NULL REFERENCES currencies,
  CONSTRAINT payouts_confirmed CHECK (state IN ('checked', 'cancelled') OR num_nonnulls(confirmed_at, waits_until) = 2),
  CONSTRAINT payouts_waiting CHECK ((state = 'waiting') = (waits_for IS NOT NULL)),
  CONSTRAINT payouts_cancelled CHECK ((state IN ('stopping', 'cancelled')) = (cancelled_at IS NOT NULL)),
  CONSTRAINT payouts_ended CHECK ((state IN ('complete', 'cancelled')) = (ended_at IS NOT NULL))
);
CREATE INDEX payouts_of_key ON payouts (key_id, created_at DESC, payout_id DESC);
CREATE INDEX payouts_to_approve ON payouts (created_at) WHERE state = 'approving';
-- Before an account is closed: the payouts that may still spend its money.
CREATE INDEX payouts_of_payer ON payouts (payer_id) WHERE payer_id IS NOT NULL AND state NOT IN ('complete', 'cancelled');

-- The file as it was received, kept as evidence.
CREATE TABLE payout_files (
  payout_id    uuid PRIMARY KEY REFERENCES payouts,
  content_type text NOT NULL,
  content      bytea NOT NULL,
  hash         bytea NOT NULL,
  CONSTRAINT payout_files_hash CHECK (hash = sha256(content))
);

-- One payment of a payout: to the person whom the name led to when the file was checked, or to an address.
CREATE TABLE payout_items (
  payout_id   uuid NOT NULL REFERENCES payouts,
  -- Its position in the file, from 1.
  nth         integer NOT NULL CHECK (nth BETWEEN 1 AND 10000),
  -- Derived from payer and reference: the same reference is the same payment.
  payment_id  uuid NOT NULL,
  reference   text NOT NULL CHECK (length(reference) BETWEEN 1 AND 100),
  -- The name in the file, in lower case, and the person it led to.
  username    text,
  user_id     uuid REFERENCES users,
  destination text,
  blockchain  text NOT NULL,
  amount      bigint NOT NULL CHECK (amount > 0),
  note        text CHECK (length(note) BETWEEN 1 AND 200),
  -- `ready`: not started. `sent`: accepted as a send to an address; the payment has its own state.
  state       text NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'sent', 'paid', 'failed', 'cancelled')),
  -- Why it failed, as code and details of an error.
  error       jsonb,
  PRIMARY KEY (payout_id, nth),
  CONSTRAINT payout_items_once UNIQUE (payout_id, payment_id),
  CONSTRAINT payout_items_whom CHECK (num_nonnulls(username, destination) = 1 AND (user_id IS NULL) = (username IS NULL)),
  CONSTRAINT payout_items_only_addresses_are_sent CHECK (state <> 'sent' OR destination IS NOT NULL),
  CONSTRAINT payout_items_error CHECK ((state = 'failed') = (error IS NOT NULL))
) WITH (fillfactor = 50);

-- Operators' approvals of payouts that need them.
CREATE TABLE payout_approvals (
  payout_id   uuid NOT NULL REFERENCES payouts,
  -- The database login.
  operator    text NOT NULL CHECK (length(operator) BETWEEN 1 AND 100),
  approved_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  PRIMARY KEY (payout_id, operator)
);

-- One row per state that a payout has reached, in the order of the feed: no two events share a `seq`.
CREATE TABLE payout_events (
  seq       bigint PRIMARY KEY,
  payout_id uuid NOT NULL REFERENCES payouts,
  state     text NOT NULL,
  at        timestamptz NOT NULL
);

-- The columns are the names in the JSON of the server. `create_payout` explains them.
CREATE TYPE new_payout AS (
  id uuid, key uuid, certificate text, client inet, payer uuid, wallet uuid, on_shortage text, content_type text,
  known_count integer, known_total bigint, currency text
);
CREATE TYPE new_payout_row AS (
  id uuid, reference text, username text, person uuid, destination text, blockchain text, amount bigint, note text
);
