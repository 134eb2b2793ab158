-- A number below 2 to the power of 256 as bits, the highest first.
CREATE OR REPLACE FUNCTION number_to_bits(p_number numeric) RETURNS bit(256) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  rest   numeric := p_number;
  result text := '';
BEGIN
  FOR i IN 1..8 LOOP
    result := mod(rest, 4294967296)::bigint::bit(32)::text || result;
    rest := div(rest, 4294967296);
  END LOOP;
  RETURN result::bit(256);
END $$;
