-- A person adds a passkey that was created for the challenge `p_id`, a "register" (`ask_for_passkey`). The server has checked
-- what the browser returned. Returns NULL, or the code of the refusal.
CREATE OR REPLACE FUNCTION add_passkey(
  p_user uuid, p_session uuid, p_id uuid, p_passkey uuid, p_credential bytea, p_public_key bytea, p_name text, p_rp text,
  p_transports text[], p_counter bigint, p_backed_up boolean
) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  code text;
BEGIN
  PERFORM require_arguments('add_passkey',
    num_nulls(p_user, p_session, p_id, p_passkey, p_credential, p_public_key, p_name, p_rp, p_counter, p_backed_up) = 0
    AND is_list(p_transports, cardinality(p_transports)) AND cardinality(p_transports) <= 10
    AND length(p_name) BETWEEN 1 AND 60 AND length(p_rp) BETWEEN 1 AND 253 AND p_counter >= 0
    AND length(array_to_string(p_transports, ' ')) <= 200 AND length(p_credential) BETWEEN 1 AND 1023);
  -- Two first passkeys wait for each other here.
  IF (SELECT closed_at FROM users WHERE user_id = p_user FOR NO KEY UPDATE) IS NOT NULL THEN RETURN 'account.closed'; END IF;
  IF proved_at(p_user, p_session) IS NULL THEN RETURN 'auth.required'; END IF;
  UPDATE passkey_challenges SET used_at = clock_timestamp()
   WHERE challenge_id = p_id AND user_id = p_user AND session_id = p_session AND deed = '{"do": "register"}' AND used_at IS NULL
     AND expires_at > clock_timestamp() AND created_at >= credentials_from('sessions');
  IF NOT FOUND THEN RETURN 'passkey.challenge_unknown'; END IF;
  code := may_add_passkey(p_user, p_session);
  IF code IS NOT NULL THEN RETURN code; END IF;
  IF EXISTS (SELECT FROM passkeys WHERE credential = p_credential) THEN RETURN 'passkey.refused'; END IF;
  PERFORM use_proof(p_user, '{"do": "add"}');
  INSERT INTO passkeys (passkey_id, user_id, credential, public_key, name, rp_hash, transports, counter, backed_up)
  VALUES (p_passkey, p_user, p_credential, p_public_key, p_name, sha256(convert_to(p_rp, 'UTF8')), p_transports, p_counter,
          p_backed_up);
  PERFORM tell_of_passkey('user:' || p_user, p_user, 'passkey.added', jsonb_build_object('passkey_id', p_passkey, 'name', p_name));
  RETURN NULL;
END $$;
