-- The id of an event, the same for every reader: its position, its time in milliseconds and part of a hash of its
-- subject, in hexadecimal. It sorts like the feed and also serves as the cursor. A database that has a different event
-- at this position, or none, has never issued this id (`find_event`).
CREATE OR REPLACE FUNCTION event_id(p_seq bigint, p_type text, p_subject uuid, p_at timestamptz) RETURNS text
  LANGUAGE sql STABLE AS $$
  SELECT 'evt_' || lpad(to_hex(p_seq), 16, '0')
    || lpad(to_hex(floor(extract(epoch FROM p_at) * 1000)::bigint), 11, '0')
    || encode(substring(sha256(convert_to(p_type || ' ' || p_subject, 'UTF8')) FROM 1 FOR 4), 'hex')
$$;
