-- The comparable form of an address: in lower case where case does not matter (0x), unchanged otherwise.
CREATE OR REPLACE FUNCTION address_key(p_address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_address LIKE '0x%' THEN lower(p_address) ELSE p_address END
$$;
