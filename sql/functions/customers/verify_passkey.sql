-- Whether a passkey has signed this challenge: what a browser returns from `navigator.credentials.get`, checked as section 7.2 of
-- WebAuthn says, apart from the page's origin, which the server has checked before. `p_rp_hash` is the SHA-256 of the wallet's
-- host name. The person must have been verified by the device, with a finger, a face or a PIN.
--
-- PostgreSQL checks this itself, so that a server that was taken over cannot say that somebody has agreed.
CREATE OR REPLACE FUNCTION verify_passkey(
  p_public_key bytea, p_rp_hash bytea, p_challenge bytea, p_client_data bytea, p_authenticator bytea, p_signature bytea
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  client jsonb;
  signed bytea := p_authenticator || sha256(p_client_data);
BEGIN
  IF num_nulls(p_public_key, p_rp_hash, p_challenge, signed, p_signature) > 0 OR length(p_authenticator) < 37 THEN
    RETURN false;
  END IF;
  client := convert_from(p_client_data, 'UTF8')::jsonb;
  IF (client->>'type' = 'webauthn.get'
      AND client->>'challenge' = rtrim(translate(encode(p_challenge, 'base64'), E'+/\n', '-_'), '=')
      AND coalesce(client->>'crossOrigin', 'false') = 'false'
      AND substr(p_authenticator, 1, 32) = p_rp_hash
      -- Present (1) and verified (4).
      AND get_byte(p_authenticator, 32) & 5 = 5) IS NOT TRUE THEN
    RETURN false;
  END IF;
  RETURN CASE length(p_public_key)
    WHEN 77 THEN verify_es256(substr(p_public_key, 11, 32) || substr(p_public_key, 46, 32), signed, p_signature)
    WHEN 272 THEN verify_rs256(substr(p_public_key, 12, 256), signed, p_signature)
    ELSE false END;
EXCEPTION WHEN data_exception THEN
  -- Not UTF-8, or not JSON.
  RETURN false;
END $$;
