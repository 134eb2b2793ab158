-- Finds movements by id, each through the primary key whatever the statistics say: PostgreSQL inlines this function.
CREATE OR REPLACE FUNCTION transfers_by_id(p_ids uuid[]) RETURNS SETOF transfers LANGUAGE sql STABLE AS $$
  SELECT * FROM transfers WHERE transfer_id = ANY (p_ids)
$$;
