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
-- the payment, the request or the person that `type` is about, `source` says in which table the event is, and `people` are
-- those whose event it is: who pays, who is paid, who asks and who is asked, whose check it is. Nothing is written for the
-- feed: a payment between people is still one row. It takes the place of `events`, which had payments only and which no
-- process of any release has read.
DROP VIEW events;
CREATE VIEW feed AS
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
    SELECT k.seq, 'kyc_events', 'kyc.' || k.status, k.user_id, k.at, ARRAY[k.user_id], true FROM kyc_events k) f
   WHERE f.is_event;
