-- The event at a position of the feed; no row if the position is empty.
CREATE OR REPLACE FUNCTION find_event(p_seq bigint)
  RETURNS TABLE (seq bigint, event_id text, type text, at timestamptz, subject_id uuid, people uuid[], is_wanted boolean)
  LANGUAGE sql STABLE AS $$
  SELECT e.* FROM read_events(p_seq - 1, NULL, 1, 1) e WHERE e.seq = p_seq
$$;
