-- Finds transfers by id. PostgreSQL inlines this function, so the calling statement decides the plan: usually an index
-- scan of the primary key, but a sequential scan if the plan was made while the table was small. A function that must
-- never read the whole table sets `enable_seqscan = off` (docs/planner.md).
CREATE OR REPLACE FUNCTION transfers_by_id(p_ids uuid[]) RETURNS SETOF transfers LANGUAGE sql STABLE AS $$
  SELECT * FROM transfers WHERE transfer_id = ANY (p_ids)
$$;
