-- Generates `transfers_by_id`, the only function that finds rows of `transfers` of any kind by id, for the indexes that
-- are complete now (see the migration `0020_ids_in_generations`). PostgreSQL uses such an index only if the query
-- contains its boundary as a constant. So this is called after an index is built and before one is dropped. Every
-- session replans queries that used the previous definition.
CREATE OR REPLACE FUNCTION write_transfers_by_id() RETURNS bigint LANGUAGE plpgsql
  SET search_path = public, pg_temp AS $$
DECLARE
  boundary bigint;
  groups   integer;
  has_all  boolean;
  found_in text[] := ARRAY['transfer_id = ANY (p_ids)'];
  asked    text := 'p_ids';
BEGIN
  -- Until an upgrade is finished, the primary key covers everything.
  IF to_regclass('transfers_pkey') IS NULL THEN
    boundary := id_boundary();
    IF boundary IS NULL THEN
      RAISE EXCEPTION 'no two indexes have all ids' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    -- Most ids are new, and the Bloom filter says so; only the others are looked up in the large index. `IS NOT TRUE`
    -- keeps PostgreSQL from reading all groups together and joining them.
    groups := marked_groups(boundary);
    IF groups IS NOT NULL THEN
      asked := format('ARRAY(SELECT id FROM unnest(p_ids) AS id WHERE EXISTS (SELECT FROM id_marks m
        WHERE m.group_no = id_group(id, %s) AND m.boundary = %s AND m.groups = %s
          AND NOT has_marks(id, m.bits)) IS NOT TRUE)', groups, boundary, groups);
    END IF;
    SELECT bool_and(pg_get_expr(indpred, indrelid) NOT LIKE '%kind%') INTO has_all FROM pg_index
     WHERE indexrelid IN (to_regclass('transfers_ids_after_' || boundary), to_regclass('transfers_ids_upto_' || boundary));
    found_in := ARRAY[format('transfer_id = ANY (p_ids) AND seq + 0 > %s', boundary),
      format('transfer_id = ANY (%s) AND seq + 0 <= %s', asked, boundary)];
    -- The indexes of a new database, and of some older ones, cover only payments between people.
    IF NOT has_all THEN
      found_in := ARRAY[found_in[1] || ' AND kind = ''user''', found_in[2] || ' AND kind = ''user''',
        'transfer_id = ANY (p_ids) AND kind <> ''user'''];
    END IF;
    IF boundary = 0 THEN found_in := array_remove(found_in, found_in[2]); END IF;
  END IF;
  EXECUTE 'CREATE OR REPLACE FUNCTION transfers_by_id(p_ids uuid[]) RETURNS SETOF transfers LANGUAGE sql STABLE AS '
    || quote_literal((SELECT string_agg('SELECT * FROM transfers WHERE ' || c, ' UNION ALL ')
                        FROM unnest(found_in) c));
  RETURN boundary;
END $$;

SELECT write_transfers_by_id();
