-- The number of groups in which `id_marks` covers every id up to a boundary. NULL if it does not cover them all,
-- because it was not filled or payments could still be added below the boundary.
CREATE OR REPLACE FUNCTION marked_groups(p_boundary bigint) RETURNS integer LANGUAGE sql STABLE
  SET search_path = public, pg_temp AS $$
  SELECT max(groups) FROM id_marks
   WHERE boundary = p_boundary
     AND EXISTS (SELECT FROM pg_constraint
                  WHERE conrelid = 'transfers'::regclass AND conname = 'transfers_marked_upto_' || p_boundary)
$$;
