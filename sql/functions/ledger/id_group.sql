-- In which row of `id_marks` the marks of an id are. Never change it: the marks that there are would not be found, and their
-- payments made again. A new rule needs a new name. `idMarks.ts` follows the same one.
CREATE OR REPLACE FUNCTION id_group(p_id uuid, p_groups integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT (get_byte(uuid_send(p_id), 3) * 65536 + get_byte(uuid_send(p_id), 4) * 256 + get_byte(uuid_send(p_id), 5)) % p_groups
$$;
