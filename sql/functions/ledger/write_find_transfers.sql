-- Writes `find_transfers`, the only way to find rows of `transfers` by id whatever their kind, for the indexes that are
-- complete now (see the migration `0020_ids_in_generations`). PostgreSQL uses such an index only for a query that names its
-- boundary as a constant. So whoever has built or is about to drop one calls this. A plan that was made from the text before
-- is made again, in every session.
CREATE OR REPLACE FUNCTION write_find_transfers() RETURNS bigint LANGUAGE plpgsql
  SET search_path = public, pg_temp AS $$
DECLARE
  boundary bigint;
  found_in text[] := ARRAY['transfer_id = ANY (p_ids)'];
  asked    text := 'p_ids';
BEGIN
  -- Not before an upgrade is finished: the primary key has everything.
  IF to_regclass('transfers_pkey') IS NULL THEN
    boundary := id_boundary();
    IF boundary IS NULL THEN
      RAISE EXCEPTION 'no two indexes have all ids' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    -- Most ids are new, and the marks rule most of those out. Only the rest is looked up in the large index.
    IF ids_are_marked(boundary) THEN
      asked := format('ARRAY(SELECT id FROM unnest(p_ids) AS id WHERE coalesce(position(id_mark(id) IN
        (SELECT m.marks FROM id_marks m WHERE m.boundary = %s AND m.group_no = id_group(id))) > 0, true))', boundary);
    END IF;
    found_in := ARRAY['transfer_id = ANY (p_ids) AND kind <> ''user''',
      format('transfer_id = ANY (p_ids) AND kind = ''user'' AND seq + 0 > %s', boundary)];
    IF boundary > 0 THEN
      found_in := found_in || format('transfer_id = ANY (%s) AND kind = ''user'' AND seq + 0 <= %s', asked, boundary);
    END IF;
  END IF;
  EXECUTE 'CREATE OR REPLACE FUNCTION find_transfers(p_ids uuid[]) RETURNS SETOF transfers LANGUAGE sql STABLE AS '
    || quote_literal((SELECT string_agg('SELECT * FROM transfers WHERE ' || c, ' UNION ALL ')
                        FROM unnest(found_in) c));
  RETURN boundary;
END $$;

SELECT write_find_transfers();
