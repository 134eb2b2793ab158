-- Keys that people create for their own account. Docs: docs/decisions/0053-account-keys.md.

-- NULL: the key of a service, which operators create. Account keys have scopes of their own, which mean nothing to code
-- that does not know owners, such as a server of an earlier release.
ALTER TABLE service_keys
  ADD COLUMN user_id uuid REFERENCES users,
  DROP CONSTRAINT service_keys_scopes_check,
  ADD CONSTRAINT service_keys_scopes_check CHECK (cardinality(scopes) > 0 AND CASE WHEN user_id IS NULL
    THEN (scopes <@ ARRAY['read', 'send', 'notes'] OR scopes <@ ARRAY['events', 'webhooks', 'payouts', 'notes'])
         AND (NOT 'notes' = ANY (scopes) OR scopes && ARRAY['read', 'events'])
    ELSE scopes <@ ARRAY['own:read', 'own:request', 'own:pay', 'own:payouts', 'own:webhooks'] END);
CREATE INDEX service_keys_of_owner ON service_keys (user_id, created_at) WHERE user_id IS NOT NULL;

-- One row when a person's key is created, and one when it is revoked: events of that person.
CREATE TABLE key_events (
  -- As in the other tables of the feed (see `ledger_state`): no two events share one.
  seq     bigint PRIMARY KEY,
  key_id  uuid NOT NULL REFERENCES service_keys,
  user_id uuid NOT NULL REFERENCES users,
  state   text NOT NULL CHECK (state IN ('created', 'revoked')),
  at      timestamptz NOT NULL,
  CONSTRAINT key_events_once UNIQUE (key_id, state)
);
CREATE INDEX key_events_of_user ON key_events (user_id, seq);

-- The key that manages the endpoint. NULL: only operators do. With an account key, the endpoint receives only events of the
-- key's owner, and nothing after the key has ended.
ALTER TABLE webhook_endpoints ADD COLUMN key_id uuid REFERENCES service_keys;
CREATE INDEX webhook_endpoints_of_key ON webhook_endpoints (key_id) WHERE key_id IS NOT NULL;

-- As before, with the events of keys. Events of a payout by an account key also belong to its owner.
CREATE OR REPLACE VIEW feed AS
  SELECT f.seq, f.source, f.type, f.subject_id, f.at, f.people FROM (
    SELECT t.seq, 'transfers' AS source,
           CASE t.kind WHEN 'deposit' THEN 'deposit.complete'
             -- A correction or a debt: every change of a balance is an event. The booking of a debt names its payment
             -- (see `ledger_cover_debt`).
             WHEN 'internal' THEN CASE WHEN t.from_name IS NULL THEN 'correction.complete' ELSE 'debt.complete' END
             ELSE coalesce((SELECT 'refund.complete' FROM refunds r WHERE r.refund_id = t.transfer_id), 'payment.complete')
           END AS type,
           t.transfer_id AS subject_id, t.created_at AS at,
           (SELECT array_remove(ARRAY[d.user_id, c.user_id], NULL) FROM accounts d, accounts c
             WHERE d.account_id = t.debit_account AND c.account_id = t.credit_account) AS people,
           -- With this condition in a WHERE here, PostgreSQL would not merge the tables in the order of their indexes: for
           -- each page it would sort everything that is newer.
           t.kind IN ('user', 'deposit') OR (t.kind = 'internal' AND EXISTS (
             SELECT FROM accounts a WHERE a.account_id IN (t.debit_account, t.credit_account) AND a.user_id IS NOT NULL))
             AS is_event
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
    SELECT o.seq, 'payout_events', 'payout.' || o.state, o.payout_id, o.at,
           (SELECT array_remove(ARRAY[s.user_id], NULL) FROM payouts p JOIN service_keys s USING (key_id)
             WHERE p.payout_id = o.payout_id), true
      FROM payout_events o
    UNION ALL
    SELECT e.seq, 'key_events', 'key.' || e.state, e.key_id, e.at, ARRAY[e.user_id], true FROM key_events e) f
   WHERE f.is_event;

-- The events of a person's payouts are found by the payout.
CREATE INDEX payout_events_of_payout ON payout_events (payout_id, seq);
