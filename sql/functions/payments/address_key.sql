-- The same address is the same text: in small letters where case says nothing (0x), and as it is elsewhere.
CREATE OR REPLACE FUNCTION address_key(p_address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_address LIKE '0x%' THEN lower(p_address) ELSE p_address END
$$;
