-- Whether a relay transaction that is not final contains this move or its cancellation.
CREATE OR REPLACE FUNCTION is_carried(p_move uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM carrier_calls l JOIN carriers c USING (carrier_id)
                  WHERE l.move_id = p_move AND l.dropped_in IS NULL AND c.state = 'pending');
$$;
