-- The highest `seq` at which two complete indexes divide the ids; NULL if there are no such indexes.
CREATE OR REPLACE FUNCTION id_boundary() RETURNS bigint LANGUAGE sql STABLE
  SET search_path = public, pg_temp AS $$
  SELECT max(a.boundary) FROM (
    SELECT substring(relname FROM '^transfers_ids_after_([0-9]+)$')::bigint AS boundary
      FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE indrelid = 'transfers'::regclass AND indisvalid) a
   WHERE a.boundary = 0 OR EXISTS (SELECT FROM pg_index
     WHERE indexrelid = to_regclass('transfers_ids_upto_' || a.boundary) AND indisvalid)
$$;
