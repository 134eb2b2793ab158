-- The next events of one person after the position `p_after`, at most `p_limit` of these types (NULL: all), in feed
-- order, up to `ledger_settled_seq()`. It reads the person's own rows instead of the whole feed: their accounts from
-- the newest entry back to `p_since`, their open sends, their requests, statuses, keys and passkeys, and the payouts of these keys.
--
-- Entries of an account are numbered when its lock is taken, and positions are assigned when a database transaction
-- begins to write, so the two orders differ among concurrent transactions. `p_since` is therefore well before the time
-- of the event at `p_after`: longer than any of our transactions may last.
--
-- If a person has more than `p_scanned` entries since then, they make up a large part of the feed, and `follow_events`
-- reads the feed itself instead. As there, the result then includes the last scanned event, with `is_wanted` false.
CREATE OR REPLACE FUNCTION read_events_of(
  p_user uuid, p_after bigint, p_since timestamptz, p_types text[], p_limit integer, p_scanned integer
) RETURNS TABLE (seq bigint, event_id text, type text, at timestamptz, subject_id uuid, people uuid[], is_wanted boolean)
  LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  settled bigint := ledger_settled_seq();
  sources text[] := event_sources(p_types);
  walked  integer := 0;
  places  bigint[] := '{}';
  sends   uuid[] := '{}';
  account record;
  moved   record;
BEGIN
  IF sources && ARRAY['transfers', 'payment_events'] THEN
    FOR account IN SELECT a.account_id, a.entries + 1 AS top, a.held FROM accounts a WHERE a.user_id = p_user LOOP
      FOR moved IN
        SELECT (e.transfer).seq, (e.transfer).kind, (e.transfer).created_at,
               coalesce((e.transfer).hold_id, (e.transfer).transfer_id) AS id
          FROM ledger_entries(account.account_id, account.top, 1) e
      LOOP
        EXIT WHEN moved.created_at < p_since OR walked > p_scanned;
        walked := walked + 1;
        IF moved.kind IN ('user', 'deposit', 'internal') THEN places := places || moved.seq;
        ELSE sends := sends || moved.id; END IF;
      END LOOP;
      -- Sends that began before and have not ended. The held amount shows whether there are any.
      IF account.held > 0 THEN
        sends := sends || ARRAY(SELECT t.transfer_id FROM transfers t
          WHERE t.debit_account = account.account_id AND t.kind = 'hold'
            AND (t.debit_prev IS NULL OR t.debit_entry % 32 = 0 OR t.kind <> 'user')
            AND NOT EXISTS (SELECT FROM transfers e WHERE e.hold_id = t.transfer_id));
      END IF;
    END LOOP;
  END IF;
  IF walked > p_scanned THEN
    RETURN QUERY
    SELECT f.seq, f.event_id, f.type, f.at, f.subject_id, f.people,
           f.is_wanted AND (p_types IS NULL OR f.type = ANY (p_types))
      FROM follow_events(ARRAY[p_user], p_after, p_limit, p_scanned) f ORDER BY f.seq;
    RETURN;
  END IF;
  RETURN QUERY
  SELECT n.seq, event_id(n.seq, n.type, n.subject_id, n.at), n.type, n.at, n.subject_id, n.people, true
    FROM (
      SELECT f.* FROM feed f WHERE f.source = 'transfers' AND f.seq = ANY (places)
      UNION ALL
      SELECT f.* FROM feed f WHERE f.source = 'payment_events' AND f.subject_id = ANY (sends)
      UNION ALL
      SELECT f.* FROM (SELECT r.request_id FROM money_requests r WHERE r.asker_id = p_user
                       UNION SELECT r.request_id FROM money_requests r WHERE r.payer_id = p_user) r
        JOIN feed f ON f.source = 'money_request_events' AND f.subject_id = r.request_id
      UNION ALL
      SELECT f.* FROM feed f WHERE f.source = 'kyc_events' AND f.subject_id = p_user
      UNION ALL
      SELECT f.* FROM service_keys k JOIN feed f ON f.source = 'key_events' AND f.subject_id = k.key_id WHERE k.user_id = p_user
      UNION ALL
      SELECT f.* FROM feed f WHERE f.source = 'key_events' AND f.subject_id = p_user
      UNION ALL
      SELECT f.* FROM service_keys k JOIN payouts p USING (key_id)
        JOIN feed f ON f.source = 'payout_events' AND f.subject_id = p.payout_id
       WHERE k.user_id = p_user AND p.payer_id = p_user) n
   WHERE n.seq > p_after AND n.seq < settled AND n.source = ANY (sources) AND (p_types IS NULL OR n.type = ANY (p_types))
   ORDER BY n.seq LIMIT p_limit;
END $$;
