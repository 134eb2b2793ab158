-- Whether `id_marks` has every id up to a boundary: it was filled, and no payment up to there can be added any more.
CREATE OR REPLACE FUNCTION ids_are_marked(p_boundary bigint) RETURNS boolean LANGUAGE sql STABLE
  SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM id_marks WHERE boundary = p_boundary)
     AND EXISTS (SELECT FROM pg_constraint
                  WHERE conrelid = 'transfers'::regclass AND conname = 'transfers_marked_upto_' || p_boundary)
$$;
