-- Derives an id from these words, as `shapeUuid` of their SHA-256 does in server/src/core/ids.ts.
CREATE OR REPLACE FUNCTION derived_id(p_words text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT encode(substring(set_byte(set_byte(h, 6, (get_byte(h, 6) & 15) | 64), 8, (get_byte(h, 8) & 63) | 128) FOR 16), 'hex')::uuid
    FROM sha256(convert_to(p_words, 'UTF8')) AS h
$$;
