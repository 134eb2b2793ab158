-- The life of a payment. Written only by the room `payments`, except `refusals`, which the ledger's batch writes. Money
-- moves only through the ledger's functions.

-- Business refusals under an Idempotency-Key: a retry gets the same refusal. The id is made from caller, route and key
-- like that of a payment. The caller is the sender, so receiver and amount are the whole request.
CREATE TABLE refusals (
  payment_id uuid PRIMARY KEY,
  receiver   text NOT NULL,
  amount     bigint NOT NULL,
  code       text NOT NULL,
  details    jsonb NOT NULL,
  created_at timestamptz NOT NULL
);

-- What changes about a payment to an address after its hold. User payments and deposits have no row here: they are
-- COMPLETE from the start, and their row in `transfers` says everything.
CREATE TABLE payments (
  payment_id       uuid PRIMARY KEY REFERENCES transfers,
  state            text NOT NULL CHECK (state IN ('INITIATED', 'CLEARED', 'QUEUED', 'SENT', 'STUCK', 'CONFIRMED',
                                                  'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED')),
  destination      text NOT NULL,
  -- The wallet it is sent from, and how its sender is shown.
  wallet_id        uuid REFERENCES wallets,
  sender_shown     text NOT NULL DEFAULT 'username' CHECK (sender_shown IN ('username', 'wallet')),
  -- What it waits for before anything is reserved or signed. Decided in the statement that accepts it; a later change
  -- of the configuration does not change it. Docs: docs/decisions/0009-waiting-approving-cancelling.md.
  approvals_needed smallint NOT NULL DEFAULT 0 CHECK (approvals_needed IN (0, 2)),
  not_before       timestamptz,
  tx_hash          text,
  network_fee      bigint CHECK (network_fee >= 0),
  error_reason     text,
  updated_at       timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp())
);
CREATE INDEX payments_unreserved ON payments (payment_id) WHERE state IN ('INITIATED', 'CLEARED');
CREATE INDEX payments_to_approve ON payments (payment_id) WHERE approvals_needed > 0 AND state = 'INITIATED';

-- One row per state a payment has reached, in the order of the feed.
CREATE TABLE payment_events (
  seq        bigint PRIMARY KEY,
  payment_id uuid NOT NULL REFERENCES payments,
  state      text NOT NULL,
  tx_hash    text,
  at         timestamptz NOT NULL,
  UNIQUE (payment_id, state)
);

-- Who has approved which payment. Operators see the names; customers see only the times.
CREATE TABLE approvals (
  payment_id  uuid NOT NULL REFERENCES payments,
  operator    text NOT NULL CHECK (length(operator) BETWEEN 1 AND 100),
  approved_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  PRIMARY KEY (payment_id, operator)
);

-- The addresses to which each wallet has a COMPLETE payment, on any blockchain, with their first and last four digits:
-- most people and wallets compare only those, and address poisoning imitates them.
-- A generated column stores the function's result: changing the function needs a migration that recomputes it.
CREATE FUNCTION address_look(address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN lower(substr(address, 3, 4) || right(address, 4));

CREATE TABLE recipients (
  wallet_id uuid NOT NULL REFERENCES wallets,
  look      text NOT NULL GENERATED ALWAYS AS (address_look(address)) STORED,
  address   text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  PRIMARY KEY (wallet_id, look, address)
);

-- The feed: every state change, once, ordered by `seq`. Read only rows below `ledger_settled_seq()`.
CREATE VIEW events AS
  SELECT seq, transfer_id AS payment_id, 'COMPLETE' AS state, created_at AS at
    FROM transfers WHERE kind IN ('user', 'deposit')
  UNION ALL
  SELECT seq, payment_id, state, at FROM payment_events;
