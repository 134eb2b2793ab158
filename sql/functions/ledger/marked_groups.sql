-- In how many groups `id_marks` has every id up to a boundary. NULL: it has not, because it was not filled, or payments up to
-- there could still be added.
CREATE OR REPLACE FUNCTION marked_groups(p_boundary bigint) RETURNS integer LANGUAGE sql STABLE
  SET search_path = public, pg_temp AS $$
  SELECT max(groups) FROM id_marks
   WHERE boundary = p_boundary
     AND EXISTS (SELECT FROM pg_constraint
                  WHERE conrelid = 'transfers'::regclass AND conname = 'transfers_marked_upto_' || p_boundary)
$$;
