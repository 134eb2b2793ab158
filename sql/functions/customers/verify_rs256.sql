-- Whether an RSA signature (PKCS #1 v1.5, SHA-256, 2048 bits, exponent 65537) belongs to this message. `p_modulus` has 256
-- bytes. False for anything malformed.
CREATE OR REPLACE FUNCTION verify_rs256(p_modulus bytea, p_message bytea, p_signature bytea) RETURNS boolean
  LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  modulus numeric;
  number  numeric;
  result  numeric;
BEGIN
  IF num_nulls(p_modulus, p_message, p_signature) > 0 OR length(p_modulus) <> 256 OR length(p_signature) <> 256 THEN
    RETURN false;
  END IF;
  modulus := bytes_to_number(p_modulus);
  number := bytes_to_number(p_signature);
  IF get_byte(p_modulus, 0) < 128 OR number >= modulus THEN RETURN false; END IF;
  result := number;
  FOR i IN 1..16 LOOP
    result := mod(result * result, modulus);
  END LOOP;
  -- 00 01 FF … FF 00, the name of SHA-256, and the hash.
  RETURN mod(result * number, modulus) = bytes_to_number(decode('0001' || repeat('ff', 202)
    || '003031300d060960864801650304020105000420', 'hex') || sha256(p_message));
END $$;
