-- What happened, in one order, for those who build on the service. Docs: docs/decisions/0031-events.md.

-- One row per status that a person's identity check has reached. Payments, deposits, refunds and money requests have rows
-- with a place in the feed already (`transfers`, `payment_events`, `money_request_events`); this is the only kind that
-- had none. Statuses from before are not here.
CREATE TABLE kyc_events (
  -- As in the other tables of the feed (see `ledger_state`); no two events share one.
  seq     bigint PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  status  text NOT NULL,
  at      timestamptz NOT NULL
);
CREATE INDEX kyc_events_of_user ON kyc_events (user_id, seq);

-- Every event once, ordered by `seq`. Read only below `ledger_settled_seq()`; `read_events` does. `subject_id` is the id of
-- the payment, the request or the person that `type` is about, and `source` says in which table the event is. Nothing is
-- written for the feed: a payment between people is still one row.
CREATE VIEW feed AS
  SELECT seq, 'transfers' AS source,
         CASE kind WHEN 'deposit' THEN 'deposit.complete'
                   ELSE coalesce((SELECT 'refund.complete' FROM refunds r WHERE r.refund_id = t.transfer_id), 'payment.complete')
         END AS type,
         transfer_id AS subject_id, created_at AS at
    FROM transfers t WHERE kind IN ('user', 'deposit')
  UNION ALL
  SELECT seq, 'payment_events', 'payment.' || lower(state), payment_id, at FROM payment_events
  UNION ALL
  SELECT seq, 'money_request_events', 'request.' || state, request_id, at FROM money_request_events
  UNION ALL
  SELECT seq, 'kyc_events', 'kyc.' || status, user_id, at FROM kyc_events;

-- `events`: read the feed. `webhooks`: say where it is sent to. Both are of the Backend API, `read` and `send` of the Web3 API,
-- and no key works on both.
ALTER TABLE service_keys
  DROP CONSTRAINT service_keys_scopes_check,
  ADD CONSTRAINT service_keys_scopes_check
    CHECK (cardinality(scopes) > 0 AND (scopes <@ ARRAY['read', 'send'] OR scopes <@ ARRAY['events', 'webhooks']));
