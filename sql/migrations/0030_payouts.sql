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
