-- The two bytes of an id that are kept in its row of `id_marks`: the last. Never change it; see `id_group`.
CREATE OR REPLACE FUNCTION id_mark(p_id uuid) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT substring(uuid_send(p_id) FROM 15)
$$;
