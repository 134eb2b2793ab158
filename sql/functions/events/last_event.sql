-- The last event that can be read now; no row if there is none yet.
CREATE OR REPLACE FUNCTION last_event()
  RETURNS TABLE (seq bigint, event_id text, type text, at timestamptz, subject_id uuid, people uuid[], is_wanted boolean)
  LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  settled bigint := ledger_settled_seq();
BEGIN
  RETURN QUERY SELECT e.* FROM find_event(
    (SELECT max(last.seq) FROM (
       (SELECT t.seq FROM transfers t WHERE t.seq < settled AND (t.kind IN ('user', 'deposit') OR (t.kind = 'internal'
         AND EXISTS (SELECT FROM accounts a WHERE a.account_id IN (t.debit_account, t.credit_account) AND a.user_id IS NOT NULL)))
         ORDER BY t.seq DESC LIMIT 1)
       UNION ALL (SELECT max(p.seq) FROM payment_events p WHERE p.seq < settled)
       UNION ALL (SELECT max(m.seq) FROM money_request_events m WHERE m.seq < settled)
       UNION ALL (SELECT max(k.seq) FROM kyc_events k WHERE k.seq < settled)
       UNION ALL (SELECT max(o.seq) FROM payout_events o WHERE o.seq < settled)
       UNION ALL (SELECT max(k.seq) FROM key_events k WHERE k.seq < settled)) last)) e;
END $$;
