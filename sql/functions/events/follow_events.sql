-- The events of some people among the next `p_scanned` of the feed after `p_after`, at most `p_limit`: what a process that
-- shows thousands of people their own events reads again and again. As with `read_events`, the last event that was looked
-- at is in the answer, with `is_wanted` false where it is nobody's of them, and no rows mean that nothing has come.
--
-- Most events are payments between people whom nobody asks about, and each costs one comparison of its accounts here. The
-- plan is made anew each time: only then does PostgreSQL hash a long list instead of walking through it for every row.
CREATE OR REPLACE FUNCTION follow_events(p_users uuid[], p_after bigint, p_limit integer, p_scanned integer)
  RETURNS TABLE (seq bigint, event_id text, type text, at timestamptz, subject_id uuid, people uuid[], is_wanted boolean)
  LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET enable_sort = off SET jit = off SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  settled bigint := ledger_settled_seq();
  own     bigint[];
  places  bigint[];
  last    bigint;
BEGIN
  SELECT max(n.seq) INTO last FROM (
    SELECT f.seq FROM feed f WHERE f.seq > p_after AND f.seq < settled ORDER BY f.seq LIMIT p_scanned) n;
  IF last IS NULL THEN RETURN; END IF;
  own := ARRAY(SELECT a.account_id FROM accounts a WHERE a.user_id = ANY (p_users));
  places := ARRAY(
    SELECT t.seq FROM transfers t
     WHERE t.seq > p_after AND t.seq <= last AND t.kind IN ('user', 'deposit')
       AND (t.debit_account = ANY (own) OR t.credit_account = ANY (own))
    UNION ALL
    SELECT p.seq FROM payment_events p
     WHERE p.seq > p_after AND p.seq <= last
       AND (SELECT t.debit_account FROM transfers t WHERE t.transfer_id = p.payment_id AND t.kind = 'hold') = ANY (own)
    UNION ALL
    SELECT m.seq FROM money_request_events m JOIN money_requests r USING (request_id)
     WHERE m.seq > p_after AND m.seq <= last AND (r.asker_id = ANY (p_users) OR r.payer_id = ANY (p_users))
    UNION ALL
    SELECT k.seq FROM kyc_events k WHERE k.seq > p_after AND k.seq <= last AND k.user_id = ANY (p_users)
    ORDER BY 1 LIMIT p_limit);
  -- With more than were asked for, it goes on after the last of these.
  IF cardinality(places) < p_limit THEN places := array_remove(places, last) || last; END IF;
  RETURN QUERY
  SELECT f.seq, event_id(f.seq, f.type, f.subject_id, f.at), f.type, f.at, f.subject_id, f.people, f.people && p_users
    FROM feed f WHERE f.seq = ANY (places) ORDER BY f.seq;
END $$;
