-- The places of the events of some people in the feed, after `p_after` and up to `p_last`: the first `p_limit`.
--
-- Most events are payments between people whom nobody asks about, and each costs one comparison of its accounts here. The
-- plan is made anew each time: only then does PostgreSQL hash a long list instead of walking through it for every row.
CREATE OR REPLACE FUNCTION own_places(p_users uuid[], p_after bigint, p_last bigint, p_limit integer) RETURNS bigint[]
  LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET jit = off SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  own bigint[] := ARRAY(SELECT a.account_id FROM accounts a WHERE a.user_id = ANY (p_users));
BEGIN
  IF cardinality(p_users) = 0 THEN RETURN '{}'; END IF;
  RETURN ARRAY(
    SELECT t.seq FROM transfers t
     WHERE t.seq > p_after AND t.seq <= p_last AND t.kind IN ('user', 'deposit')
       AND (t.debit_account = ANY (own) OR t.credit_account = ANY (own))
    UNION ALL
    SELECT p.seq FROM payment_events p
     WHERE p.seq > p_after AND p.seq <= p_last
       AND (SELECT t.debit_account FROM transfers t WHERE t.transfer_id = p.payment_id AND t.kind = 'hold') = ANY (own)
    UNION ALL
    SELECT m.seq FROM money_request_events m JOIN money_requests r USING (request_id)
     WHERE m.seq > p_after AND m.seq <= p_last AND (r.asker_id = ANY (p_users) OR r.payer_id = ANY (p_users))
    UNION ALL
    SELECT k.seq FROM kyc_events k WHERE k.seq > p_after AND k.seq <= p_last AND k.user_id = ANY (p_users)
    ORDER BY 1 LIMIT p_limit);
END $$;
