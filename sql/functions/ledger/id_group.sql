-- In which row of `id_marks` the mark of an id is: two of its last bytes, because those are random in every kind of UUID.
-- Never change it: the marks that there are would not be found, and their payments made again. A new rule needs a new name.
CREATE OR REPLACE FUNCTION id_group(p_id uuid) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT get_byte(uuid_send(p_id), 12) * 256 + get_byte(uuid_send(p_id), 13)
$$;
