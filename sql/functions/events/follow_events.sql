-- The events of some people among the next `p_scanned` of the feed after `p_after`, at most `p_limit`. A process that
-- streams events to thousands of people calls it repeatedly. As with `read_events`, the result includes the last event
-- that was scanned, with `is_wanted` false if it belongs to none of these people, and no rows mean that there are no
-- new events.
CREATE OR REPLACE FUNCTION follow_events(p_users uuid[], p_after bigint, p_limit integer, p_scanned integer)
  RETURNS TABLE (seq bigint, event_id text, type text, at timestamptz, subject_id uuid, people uuid[], is_wanted boolean)
  LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET enable_sort = off SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  settled bigint := ledger_settled_seq();
  places  bigint[];
  last    bigint;
BEGIN
  SELECT max(n.seq) INTO last FROM (
    SELECT f.seq FROM feed f WHERE f.seq > p_after AND f.seq < settled ORDER BY f.seq LIMIT p_scanned) n;
  IF last IS NULL THEN RETURN; END IF;
  places := own_places(p_users, p_after, last, p_limit);
  -- If it found as many as requested, the next call continues after the last of these.
  IF cardinality(places) < p_limit THEN places := array_remove(places, last) || last; END IF;
  RETURN QUERY
  SELECT f.seq, event_id(f.seq, f.type, f.subject_id, f.at), f.type, f.at, f.subject_id, f.people, f.people && p_users
    FROM feed f WHERE f.seq = ANY (places) ORDER BY f.seq;
END $$;
