-- The feed positions of some people's events, after `p_after` and up to `p_last`: the first `p_limit`.
--
-- Most events are payments between other people, and each costs one comparison of its accounts here. The list is a
-- subquery, so that PostgreSQL compares by a hash lookup. An array would be scanned for every row, unless a plan were
-- made for each call, which takes longer than reading the rows.
CREATE OR REPLACE FUNCTION own_places(p_users uuid[], p_after bigint, p_last bigint, p_limit integer) RETURNS bigint[]
  LANGUAGE plpgsql STABLE AS $$
DECLARE
  own bigint[] := ARRAY(SELECT a.account_id FROM accounts a WHERE a.user_id = ANY (p_users));
BEGIN
  IF cardinality(p_users) = 0 THEN RETURN '{}'; END IF;
  RETURN ARRAY(
    SELECT t.seq FROM transfers t
     WHERE t.seq > p_after AND t.seq <= p_last AND t.kind IN ('user', 'deposit', 'internal')
       AND (t.debit_account IN (SELECT unnest(own)) OR t.credit_account IN (SELECT unnest(own)))
    UNION ALL
    SELECT p.seq FROM payment_events p
     WHERE p.seq > p_after AND p.seq <= p_last
       AND (SELECT t.debit_account FROM transfers t WHERE t.transfer_id = p.payment_id AND t.kind = 'hold')
           IN (SELECT unnest(own))
    UNION ALL
    SELECT m.seq FROM money_request_events m JOIN money_requests r USING (request_id)
     WHERE m.seq > p_after AND m.seq <= p_last
       AND (r.asker_id IN (SELECT unnest(p_users)) OR r.payer_id IN (SELECT unnest(p_users)))
    UNION ALL
    SELECT k.seq FROM kyc_events k WHERE k.seq > p_after AND k.seq <= p_last AND k.user_id = ANY (p_users)
    UNION ALL
    SELECT k.seq FROM key_events k WHERE k.seq > p_after AND k.seq <= p_last AND k.user_id = ANY (p_users)
    UNION ALL
    SELECT o.seq FROM payout_events o
     WHERE o.seq > p_after AND o.seq <= p_last
       AND (SELECT s.user_id FROM payouts p JOIN service_keys s USING (key_id) WHERE p.payout_id = o.payout_id)
           IN (SELECT unnest(p_users))
    ORDER BY 1 LIMIT p_limit);
END $$;
