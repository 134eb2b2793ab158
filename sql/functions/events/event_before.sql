-- The last event before a time: where a reader continues if this database never issued its cursor. The feed has no
-- index by time. Times grow with positions, except among commits that happen almost at the same time, so a binary
-- search finds the position in about fifty lookups. The caller allows a margin for these commits.
CREATE OR REPLACE FUNCTION event_before(p_at timestamptz)
  RETURNS TABLE (seq bigint, event_id text, type text, at timestamptz, subject_id uuid, people uuid[], is_wanted boolean)
  LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  -- Everything up to `low` is before the time; the first event after `high`, if there is one, is not.
  low    bigint := 0;
  high   bigint := coalesce((SELECT l.seq FROM last_event() l), 0);
  middle bigint;
  found_ record;
BEGIN
  WHILE low < high LOOP
    middle := low + (high - low) / 2;
    SELECT e.seq, e.at INTO found_ FROM read_events(middle, NULL, 1, 1) e;
    IF found_.seq IS NOT NULL AND found_.seq <= high AND found_.at < p_at THEN low := found_.seq;
    ELSE high := middle; END IF;
  END LOOP;
  RETURN QUERY SELECT e.* FROM find_event(low) e;
END $$;
