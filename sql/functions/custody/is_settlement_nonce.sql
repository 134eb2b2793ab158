-- Whether a nonce belongs to a settlement: its first half is the tag of all settlements (server/src/custody/eip3009).
CREATE OR REPLACE FUNCTION is_settlement_nonce(nonce bytea) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT substring(nonce FROM 1 FOR 16) = convert_to('florin-settle-01', 'UTF8')
$$;
