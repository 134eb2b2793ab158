-- The row of `id_marks` that holds the Bloom filter for an id. Never change this function: existing ids would no longer
-- be found, and their payments could be made again. A different rule needs a new function name. `idMarks.ts` uses the
-- same rule.
CREATE OR REPLACE FUNCTION id_group(p_id uuid, p_groups integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT (get_byte(uuid_send(p_id), 3) * 65536 + get_byte(uuid_send(p_id), 4) * 256 + get_byte(uuid_send(p_id), 5)) % p_groups
$$;
