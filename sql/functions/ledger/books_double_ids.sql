-- The movements after `p_after` up to `p_upto` whose id another movement also has. Unique indexes exclude most
-- duplicates (see the migration `0020_ids_in_generations`). This checks only ids that are split across two indexes, or
-- all ids if an index is not unique.
CREATE OR REPLACE FUNCTION books_double_ids(p_after bigint, p_upto bigint) RETURNS bigint[] LANGUAGE plpgsql STABLE
  SET search_path = public, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  boundary bigint := id_boundary();
  -- True if both indexes cover movements of every kind.
  has_all  boolean := false;
  is_sure  boolean;
  ids      uuid[];
BEGIN
  IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('transfers_pkey') AND indisvalid AND indisunique) THEN
    RETURN '{}';
  END IF;
  SELECT coalesce(bool_and(pg_get_expr(indpred, indrelid) NOT LIKE '%kind%'), false), coalesce(bool_and(indisunique), false)
    INTO has_all, is_sure FROM pg_index
   WHERE indexrelid IN (to_regclass('transfers_ids_after_' || boundary), to_regclass('transfers_ids_upto_' || boundary));
  IF NOT has_all AND NOT EXISTS (SELECT FROM pg_index
      WHERE indexrelid = to_regclass('transfers_other_ids') AND indisvalid AND indisunique) THEN
    is_sure := false;
  END IF;
  IF is_sure AND has_all AND p_upto <= boundary THEN RETURN '{}'; END IF;
  ids := ARRAY(SELECT t.transfer_id FROM transfers t WHERE t.seq > p_after AND t.seq <= p_upto
    AND (NOT is_sure OR (t.seq > boundary AND boundary > 0) OR (NOT has_all AND t.kind <> 'user')));
  IF (SELECT count(*) = count(DISTINCT f.transfer_id) FROM transfers_by_id(ids) f) THEN RETURN '{}'; END IF;
  RETURN ARRAY(SELECT t.seq FROM transfers t WHERE t.seq > p_after AND t.seq <= p_upto
    AND t.transfer_id IN (SELECT f.transfer_id FROM transfers_by_id(ids) f GROUP BY f.transfer_id HAVING count(*) > 1));
END $$;
