-- Refunds (docs/decisions/0027-refunds.md). The previous release knows nothing of these tables; it shows a refund as the
-- payment that it is.

-- A refund is a payment of its own: its id is also that of its row in `transfers`, which has everything that a payment
-- has. This table says which payment it gives back, in whole or in part, and who decided that.
CREATE TABLE refunds (
  refund_id   uuid PRIMARY KEY,
  payment_id  uuid NOT NULL,
  -- Who gives it back: whoever got the payment, or the treasury. The treasury does only what two people have decided.
  source      text NOT NULL CHECK (source IN ('receiver', 'treasury')),
  amount      bigint NOT NULL CHECK (amount > 0),
  -- Customers see it.
  reason      text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  -- Database logins.
  proposed_by text NOT NULL CHECK (length(proposed_by) BETWEEN 1 AND 100),
  proposed_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  approved_by text CHECK (length(approved_by) BETWEEN 1 AND 100),
  -- When the money moved; NULL: it waits for a second person, or was denied.
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

-- What was given back of each payment so far. One row per payment, so that refunds of the same payment wait for each other
-- and the check sees their sum. Only the trigger of `refunds` writes it (`count_refund`).
CREATE TABLE refund_totals (
  payment_id uuid PRIMARY KEY,
  -- What the payment paid.
  paid       bigint NOT NULL CHECK (paid > 0),
  refunded   bigint NOT NULL DEFAULT 0 CHECK (refunded >= 0),
  CONSTRAINT refunds_never_more CHECK (refunded <= paid)
);
