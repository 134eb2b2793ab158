-- Whether an ECDSA signature with P-256 and SHA-256 belongs to this message. `p_key` is the point, x and y with 32 bytes each;
-- `p_signature` is in DER. False for anything malformed.
--
-- PostgreSQL has no such function, so this computes u1·G + u2·Q by itself, bit by bit for both numbers at once, and compares
-- the result with r. It only verifies: it knows no secret, so its time may depend on the numbers. About 10 ms.
-- Test vectors, and signatures changed in every byte: test/db/passkeySignatures.test.ts.
CREATE OR REPLACE FUNCTION verify_es256(p_key bytea, p_message bytea, p_signature bytea) RETURNS boolean
  LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  p  CONSTANT numeric := 115792089210356248762697446949407573530086143415290314195533631308867097853951;
  n  CONSTANT numeric := 115792089210356248762697446949407573529996955224135760342422259061068512044369;
  b  CONSTANT numeric := 41058363725152142129326129780047268409114441015993725554835256314039467401291;
  gx CONSTANT numeric := 48439561293906451759052585252797914202762949526041747995844080717082404635286;
  gy CONSTANT numeric := 36134250956749795798585127919587881956611106672985015071877198253568414405109;
  qx numeric; qy numeric;
  -- G + Q, if it is not the point at infinity.
  sx numeric; sy numeric; slope numeric;
  r  numeric; s numeric; w numeric;
  length_r integer; length_s integer;
  u1 bit(256); u2 bit(256);
  -- The sum so far, in Jacobian coordinates; z = 0: the point at infinity.
  x numeric := 1; y numeric := 1; z numeric := 0;
  -- The point that is added.
  ax numeric; ay numeric;
  yy numeric; c numeric; m numeric; h numeric; hh numeric; hhh numeric; v numeric; d numeric; zz numeric;
  bits integer;
BEGIN
  IF num_nulls(p_key, p_message, p_signature) > 0 OR length(p_key) <> 64 OR length(p_signature) NOT BETWEEN 8 AND 72 THEN
    RETURN false;
  END IF;
  length_r := get_byte(p_signature, 3);
  IF get_byte(p_signature, 0) <> 48 OR get_byte(p_signature, 1) <> length(p_signature) - 2 OR get_byte(p_signature, 2) <> 2
    OR length_r NOT BETWEEN 1 AND 33 OR length_r + 6 >= length(p_signature) THEN
    RETURN false;
  END IF;
  length_s := get_byte(p_signature, 5 + length_r);
  IF get_byte(p_signature, 4 + length_r) <> 2 OR length_s NOT BETWEEN 1 AND 33 OR length_r + length_s + 6 <> length(p_signature)
    OR get_byte(p_signature, 4) > 127 OR get_byte(p_signature, 6 + length_r) > 127 THEN
    RETURN false;
  END IF;
  r := bytes_to_number(substr(p_signature, 5, length_r));
  s := bytes_to_number(substr(p_signature, 7 + length_r, length_s));
  qx := bytes_to_number(substr(p_key, 1, 32));
  qy := bytes_to_number(substr(p_key, 33, 32));
  IF r = 0 OR r >= n OR s = 0 OR s >= n OR qx >= p OR qy >= p OR mod(qy * qy + 3 * qx, p) <> mod(qx * qx * qx + b, p) THEN
    RETURN false;
  END IF;

  w := inverse_mod(s, n);
  u1 := number_to_bits(mod(bytes_to_number(sha256(p_message)) * w, n));
  u2 := number_to_bits(mod(r * w, n));
  IF qx <> gx THEN
    slope := mod((qy - gy + p) * inverse_mod(qx - gx + p, p), p);
  ELSIF qy = gy THEN
    slope := mod(3 * (gx * gx - 1) * inverse_mod(2 * gy, p), p);
  END IF;
  IF slope IS NOT NULL THEN
    sx := mod(slope * slope + 2 * p - gx - qx, p);
    sy := mod(slope * (gx - sx + p) + p - gy, p);
  END IF;

  FOR i IN 0..255 LOOP
    IF z <> 0 THEN
      -- Doubled (a = -3). No point of this curve has y = 0.
      yy := mod(y * y, p);
      zz := mod(z * z, p);
      c := mod(4 * x * yy, p);
      m := mod(3 * (x - zz + p) * (x + zz), p);
      z := mod(2 * y * z, p);
      x := mod(m * m + 2 * (p - c), p);
      y := mod(m * (c - x + p) + 8 * (p - mod(yy * yy, p)), p);
    END IF;
    bits := get_bit(u1, i) + 2 * get_bit(u2, i);
    CONTINUE WHEN bits = 0;
    ax := CASE bits WHEN 1 THEN gx WHEN 2 THEN qx ELSE sx END;
    ay := CASE bits WHEN 1 THEN gy WHEN 2 THEN qy ELSE sy END;
    CONTINUE WHEN ax IS NULL;
    IF z = 0 THEN
      x := ax; y := ay; z := 1;
      CONTINUE;
    END IF;
    zz := mod(z * z, p);
    h := mod(ax * zz + p - x, p);
    d := mod(ay * mod(zz * z, p) + p - y, p);
    IF h = 0 THEN
      IF d = 0 THEN
        -- The same point: doubled.
        yy := mod(y * y, p);
        c := mod(4 * x * yy, p);
        m := mod(3 * (x - zz + p) * (x + zz), p);
        z := mod(2 * y * z, p);
        x := mod(m * m + 2 * (p - c), p);
        y := mod(m * (c - x + p) + 8 * (p - mod(yy * yy, p)), p);
      ELSE
        z := 0;
      END IF;
      CONTINUE;
    END IF;
    hh := mod(h * h, p);
    hhh := mod(h * hh, p);
    v := mod(x * hh, p);
    z := mod(z * h, p);
    x := mod(d * d + (p - hhh) + 2 * (p - v), p);
    y := mod(d * (v - x + p) + p * p - y * hhh, p);
  END LOOP;
  IF z = 0 THEN RETURN false; END IF;
  -- The x of the sum, modulo n, is r. With zz it needs no division.
  zz := mod(z * z, p);
  RETURN mod(r * zz, p) = x OR r + n < p AND mod((r + n) * zz, p) = x;
END $$;
