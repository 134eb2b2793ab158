-- The next events after the position `p_after` (0: from the beginning), in feed order: at most `p_limit` of these types
-- (NULL: all). No event can be inserted before them later: they end at `ledger_settled_seq()`, in the snapshot of the
-- calling statement, so a commit that is still open holds back all later ones.
--
-- With types, at most `p_scanned` events are scanned. The result includes the last scanned event even if its type was
-- not requested: then `is_wanted` is false, and it only marks the position to continue from. No rows mean that there
-- are no new events.
--
-- The planner settings: a plan made while the tables were empty would read whole tables, or sort everything that came
-- since.
CREATE OR REPLACE FUNCTION read_events(p_after bigint, p_types text[], p_limit integer, p_scanned integer)
  RETURNS TABLE (seq bigint, event_id text, type text, at timestamptz, subject_id uuid, people uuid[], is_wanted boolean)
  LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET enable_sort = off SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  settled bigint := ledger_settled_seq();
  sources text[] := event_sources(p_types);
BEGIN
  RETURN QUERY
  WITH looked AS MATERIALIZED (
    SELECT f.seq, f.source, f.type, f.subject_id, f.at FROM feed f
     WHERE f.seq > p_after AND f.seq < settled AND f.source = ANY (sources)
     ORDER BY f.seq LIMIT CASE WHEN p_types IS NULL THEN p_limit ELSE p_scanned END
  ), counted AS (
    SELECT l.*, w.is_wanted, count(*) FILTER (WHERE w.is_wanted) OVER (ORDER BY l.seq) AS nth,
           lead(l.seq) OVER (ORDER BY l.seq) IS NULL AS is_last
      FROM looked l, LATERAL (SELECT p_types IS NULL OR l.type = ANY (p_types) AS is_wanted) w
  )
  SELECT c.seq, event_id(c.seq, c.type, c.subject_id, c.at), c.type, c.at, c.subject_id,
         CASE WHEN c.is_wanted THEN (SELECT f.people FROM feed f WHERE f.seq = c.seq AND f.source = c.source)
              ELSE '{}' END, c.is_wanted
    FROM counted c WHERE c.nth <= p_limit AND (c.is_wanted OR c.is_last)
   ORDER BY c.seq;
END $$;
