-- The time since which committed events cannot be read yet, because a transaction that began before them is still open:
-- a long transaction that writes, even in another database of the same PostgreSQL server, or a forgotten prepared
-- transaction. NULL if there are none. A short delay is normal; see `ledger_settled_seq`.
CREATE OR REPLACE FUNCTION events_held_since() RETURNS timestamptz
  LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  settled bigint := ledger_settled_seq();
BEGIN
  RETURN (SELECT min(first.at) FROM (
    (SELECT t.created_at AS at FROM transfers t WHERE t.seq >= settled AND (t.kind IN ('user', 'deposit') OR (t.kind = 'internal'
         AND EXISTS (SELECT FROM accounts a WHERE a.account_id IN (t.debit_account, t.credit_account) AND a.user_id IS NOT NULL)))
      ORDER BY t.seq LIMIT 1)
    UNION ALL (SELECT p.at FROM payment_events p WHERE p.seq >= settled ORDER BY p.seq LIMIT 1)
    UNION ALL (SELECT m.at FROM money_request_events m WHERE m.seq >= settled ORDER BY m.seq LIMIT 1)
    UNION ALL (SELECT k.at FROM kyc_events k WHERE k.seq >= settled ORDER BY k.seq LIMIT 1)
    UNION ALL (SELECT o.at FROM payout_events o WHERE o.seq >= settled ORDER BY o.seq LIMIT 1)
    UNION ALL (SELECT e.at FROM key_events e WHERE e.seq >= settled ORDER BY e.seq LIMIT 1)) first);
END $$;
