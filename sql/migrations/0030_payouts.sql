-- Paying many people and addresses from one file. Docs: docs/decisions/0038-payouts.md.

-- One file that was checked, and what became of it. Written only by functions of `sql/functions/payouts`;
-- `guard_payout` refuses every other change.
CREATE TABLE payouts (
  payout_id        uuid PRIMARY KEY,
  -- The service key that asked. It pays within this key's rules and limits, and only this key sees it.
  key_id           uuid NOT NULL REFERENCES service_keys,
  -- Whose money it is; NULL: the treasury's.
  payer_id         uuid REFERENCES users,
  -- What becomes of rows that do not fit into what is left of the balance or of a limit.
  on_shortage      text NOT NULL CHECK (on_shortage IN ('wait', 'fail')),
  state            text NOT NULL DEFAULT 'checked' CHECK (state IN
    ('checked', 'approving', 'running', 'waiting', 'stopping', 'complete', 'cancelled')),
  -- Of the file, and of these rows what was not paid before under the same references.
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
  -- What the caller who confirmed it has shown; a key may ask for both (see `find_key_refusals`).
  certificate      bytea CHECK (octet_length(certificate) = 32),
  client           inet,
  cancelled_at     timestamptz,
  ended_at         timestamptz,
  CONSTRAINT payouts_confirmed CHECK (state IN ('checked', 'cancelled') OR num_nonnulls(confirmed_at, waits_until) = 2),
  CONSTRAINT payouts_waiting CHECK ((state = 'waiting') = (waits_for IS NOT NULL)),
  CONSTRAINT payouts_cancelled CHECK ((state IN ('stopping', 'cancelled')) = (cancelled_at IS NOT NULL)),
  CONSTRAINT payouts_ended CHECK ((state IN ('complete', 'cancelled')) = (ended_at IS NOT NULL))
);
CREATE INDEX payouts_of_key ON payouts (key_id, created_at DESC, payout_id DESC);
CREATE INDEX payouts_to_approve ON payouts (created_at) WHERE state = 'approving';

-- The file as it came, kept as evidence.
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
  -- Its place in the file, from 1.
  nth         integer NOT NULL CHECK (nth BETWEEN 1 AND 10000),
  -- Made of the payer and the reference: the same reference again is the same payment.
  payment_id  uuid NOT NULL,
  reference   text NOT NULL CHECK (length(reference) BETWEEN 1 AND 100),
  -- The name as it was written, in small letters, and whom it led to.
  username    text,
  user_id     uuid REFERENCES users,
  destination text,
  blockchain  text NOT NULL,
  amount      bigint NOT NULL CHECK (amount > 0),
  note        text CHECK (length(note) BETWEEN 1 AND 200),
  -- `ready`: not begun. `sent`: to an address, and accepted; the payment's own state says how far it is.
  state       text NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'sent', 'paid', 'failed', 'cancelled')),
  -- Why it failed, as code and details of an error.
  error       jsonb,
  PRIMARY KEY (payout_id, nth),
  CONSTRAINT payout_items_once UNIQUE (payout_id, payment_id),
  CONSTRAINT payout_items_whom CHECK (num_nonnulls(username, destination) = 1 AND (user_id IS NULL) = (username IS NULL)),
  CONSTRAINT payout_items_only_addresses_are_sent CHECK (state <> 'sent' OR destination IS NOT NULL),
  CONSTRAINT payout_items_error CHECK ((state = 'failed') = (error IS NOT NULL))
) WITH (fillfactor = 50);

-- Who has approved a payout that needs it.
CREATE TABLE payout_approvals (
  payout_id   uuid NOT NULL REFERENCES payouts,
  -- The database login.
  operator    text NOT NULL CHECK (length(operator) BETWEEN 1 AND 100),
  approved_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  PRIMARY KEY (payout_id, operator)
);

-- One row per state that a payout has reached, in the order of the feed; `seq` is unique in all its tables.
CREATE TABLE payout_events (
  seq       bigint PRIMARY KEY,
  payout_id uuid NOT NULL REFERENCES payouts,
  state     text NOT NULL,
  at        timestamptz NOT NULL
);

-- As before, and with payouts: their events are nobody's but the service's.
CREATE OR REPLACE VIEW feed AS
  SELECT f.seq, f.source, f.type, f.subject_id, f.at, f.people FROM (
    SELECT t.seq, 'transfers' AS source,
           CASE t.kind WHEN 'deposit' THEN 'deposit.complete'
             ELSE coalesce((SELECT 'refund.complete' FROM refunds r WHERE r.refund_id = t.transfer_id), 'payment.complete')
           END AS type,
           t.transfer_id AS subject_id, t.created_at AS at,
           (SELECT array_remove(ARRAY[d.user_id, c.user_id], NULL) FROM accounts d, accounts c
             WHERE d.account_id = t.debit_account AND c.account_id = t.credit_account) AS people,
           -- A condition here, instead of below, would keep PostgreSQL from merging the tables in the order of their indexes:
           -- it would sort all that has come since, for each page.
           t.kind IN ('user', 'deposit') AS is_event
      FROM transfers t
    UNION ALL
    SELECT p.seq, 'payment_events', 'payment.' || lower(p.state), p.payment_id, p.at,
           (SELECT array_remove(ARRAY[a.user_id], NULL) FROM transfers t JOIN accounts a ON a.account_id = t.debit_account
             WHERE t.transfer_id = p.payment_id AND t.kind = 'hold'), true
      FROM payment_events p
    UNION ALL
    SELECT m.seq, 'money_request_events', 'request.' || m.state, m.request_id, m.at,
           (SELECT array_remove(ARRAY[r.asker_id, r.payer_id], NULL) FROM money_requests r
             WHERE r.request_id = m.request_id), true
      FROM money_request_events m
    UNION ALL
    SELECT k.seq, 'kyc_events', 'kyc.' || k.status, k.user_id, k.at, ARRAY[k.user_id], true FROM kyc_events k
    UNION ALL
    SELECT o.seq, 'payout_events', 'payout.' || o.state, o.payout_id, o.at, '{}'::uuid[], true FROM payout_events o) f
   WHERE f.is_event;
