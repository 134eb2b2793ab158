-- Removes the text of notes in these pages that are older than `p_days` (0: their age does not matter), and of those that
-- only people with closed accounts could read. The note of an open request stays. The rows stay without their text: see
-- `payment_notes`.
CREATE OR REPLACE FUNCTION forget_notes(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  gone bigint;
BEGIN
  UPDATE payment_notes n SET note = NULL
   WHERE n.ctid >= p_from AND n.ctid < p_to AND n.note IS NOT NULL
     AND NOT EXISTS (SELECT FROM money_requests m WHERE m.request_id = n.payment_id AND m.state = 'open')
     AND (p_days > 0 AND n.created_at < now() - make_interval(days => p_days)
          OR (SELECT bool_and(u.closed_at IS NOT NULL) FROM (
                SELECT a.user_id FROM transfers_by_id(ARRAY[n.payment_id]) t
                  JOIN accounts a ON a.account_id IN (t.debit_account, t.credit_account)
                UNION ALL
                SELECT p.user_id FROM money_requests m, LATERAL (VALUES (m.asker_id), (m.payer_id)) AS p(user_id)
                 WHERE m.request_id = n.payment_id) party
                JOIN users u USING (user_id)));
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;
