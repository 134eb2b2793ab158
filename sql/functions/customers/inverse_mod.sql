-- The number whose product with `p_number` leaves the remainder 1, for a prime modulus: the extended Euclidean algorithm.
CREATE OR REPLACE FUNCTION inverse_mod(p_number numeric, p_modulus numeric) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  a numeric := mod(p_number, p_modulus);
  b numeric := p_modulus;
  x numeric := 1;
  y numeric := 0;
  q numeric;
  r numeric;
BEGIN
  WHILE a > 0 LOOP
    q := div(b, a);
    r := b - q * a;
    b := a;
    a := r;
    r := y - q * x;
    y := x;
    x := r;
  END LOOP;
  RETURN CASE WHEN y < 0 THEN y + p_modulus ELSE y END;
END $$;
