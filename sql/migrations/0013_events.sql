-- Events: everything that happened, in one order, for services that build on this one, and webhooks that deliver them.
-- Docs: docs/decisions/0031-events.md, docs/decisions/0032-webhooks.md.

-- One row per status that a person's identity check has reached. The other kinds of events already have rows with a
-- position in the feed: `transfers`, `payment_events`, `money_request_events`, `payout_events`. Statuses from before this
-- table are missing.
CREATE TABLE kyc_events (
  -- As in the other tables of the feed (see `ledger_state`): no two events share one.
  seq     bigint PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  status  text NOT NULL,
  at      timestamptz NOT NULL
);
CREATE INDEX kyc_events_of_user ON kyc_events (user_id, seq);

-- Every event once, ordered by `seq`. Read only below `ledger_settled_seq()`; `read_events` does. `subject_id` is the id of
-- the payment, request, person or payout that `type` is about. `source` is the table that contains the event. `people` are
-- the payer and the receiver, the two sides of a request, or the person who is checked; events of payouts belong only to
-- the service. The feed writes nothing: a payment between people is still one row. It replaces `events`, which had only
-- payments and which no process of any release has read.
DROP VIEW events;
CREATE VIEW feed AS
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
    SELECT o.seq, 'payout_events', 'payout.' || o.state, o.payout_id, o.at, '{}'::uuid[], true FROM payout_events o) f
   WHERE f.is_event;

CREATE TABLE webhook_endpoints (
  endpoint_id   uuid PRIMARY KEY,
  url           text NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
  description   text NOT NULL CHECK (length(description) <= 200),
  -- `*`, a group such as `payment.*`, or single types.
  types         text[] NOT NULL CHECK (cardinality(types) BETWEEN 1 AND 50),
  -- One event at a time, in the order of the feed: the next is sent when the receiver has accepted the previous one.
  in_order      boolean NOT NULL,
  -- `failed`: the worker switched it off, because nothing worked for days, or the receiver says that it is gone.
  state         text NOT NULL DEFAULT 'on' CHECK (state IN ('on', 'off', 'failed')),
  failure       text CHECK (length(failure) BETWEEN 1 AND 500),
  -- No attempt has succeeded since then. NULL: they succeed.
  failing_since timestamptz,
  -- Deliveries exist up to this position in the feed. It does not move while the endpoint is off.
  place         bigint NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  -- The row stays, because deliveries refer to it.
  removed_at    timestamptz,
  CONSTRAINT webhook_endpoints_failure CHECK ((state = 'failed') = (failure IS NOT NULL)),
  CONSTRAINT webhook_endpoints_removed_is_off CHECK (removed_at IS NULL OR state = 'off')
) WITH (fillfactor = 50);

-- Signing secrets of endpoints: the current one, and former ones until they expire. Signing needs the secret itself, so it
-- is not hashed. Only the worker can read it; a server shows a new secret once.
CREATE TABLE webhook_secrets (
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoints,
  number      integer NOT NULL CHECK (number > 0),
  secret      bytea NOT NULL CHECK (octet_length(secret) BETWEEN 24 AND 64),
  created_at  timestamptz NOT NULL DEFAULT now(),
  -- NULL: the current one.
  ends_at     timestamptz,
  PRIMARY KEY (endpoint_id, number)
);
CREATE UNIQUE INDEX webhook_secrets_current ON webhook_secrets (endpoint_id) WHERE ends_at IS NULL;

-- One row per event and endpoint, from the time when a worker has read the event in the feed. To claim an attempt, a worker
-- counts it and moves `due_at` past its timeout, so the attempts of a killed worker are due again soon.
CREATE TABLE webhook_deliveries (
  endpoint_id  uuid NOT NULL REFERENCES webhook_endpoints,
  event_id     text COLLATE "C" NOT NULL,
  -- Position of the event in the feed. For a test event, the position of the endpoint when it was requested.
  place        bigint NOT NULL,
  type         text NOT NULL,
  happened_at  timestamptz NOT NULL,
  data         jsonb NOT NULL,
  -- A test event does not wait for its turn.
  is_test      boolean NOT NULL DEFAULT false,
  state        text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed')),
  due_at       timestamptz DEFAULT now(),
  attempts     integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- The last attempt: when it ended, how long it took, and the answer or the reason why there is none.
  attempted_at timestamptz,
  took_ms      integer,
  status       integer,
  answer       text CHECK (length(answer) <= 2048),
  fault        text CHECK (length(fault) <= 500),
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (endpoint_id, event_id),
  CONSTRAINT webhook_deliveries_due CHECK ((state = 'waiting') = (due_at IS NOT NULL))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (endpoint_id, place) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_of_endpoint ON webhook_deliveries (endpoint_id, place, event_id);
-- Most deliveries are delivered; an index of the others finds them among millions.
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (endpoint_id, state, place, event_id) WHERE state <> 'delivered';
-- Test events are found without reading the thousands that may wait.
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (endpoint_id, due_at) WHERE is_test AND due_at IS NOT NULL;
