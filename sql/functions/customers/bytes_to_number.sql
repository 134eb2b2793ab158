-- The unsigned number that these bytes contain, the highest first.
CREATE OR REPLACE FUNCTION bytes_to_number(p_bytes bytea) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  digits text := encode(p_bytes, 'hex');
  number numeric := 0;
BEGIN
  digits := repeat('0', (14 - length(digits) % 14) % 14) || digits;
  FOR i IN 0..length(digits) / 14 - 1 LOOP
    number := number * 72057594037927936 + ('x00' || substr(digits, i * 14 + 1, 14))::bit(64)::bigint;
  END LOOP;
  RETURN number;
END $$;
