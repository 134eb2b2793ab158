-- Stores that a person has signed a challenge with one of their passkeys, so that its deed is allowed for five minutes. The
-- last four arguments are what the browser returned. Returns NULL, or the code and details of the refusal.
--
-- A passkey counts its signatures, or leaves the counter at 0. A counter that does not grow means a copied passkey.
CREATE OR REPLACE FUNCTION prove_with_passkey(
  p_user uuid, p_session uuid, p_id uuid, p_credential bytea, p_client_data bytea, p_authenticator bytea, p_signature bytea
) RETURNS jsonb LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  asked   passkey_challenges;
  passkey passkeys;
  count_  bigint;
BEGIN
  PERFORM require_arguments('prove_with_passkey',
    num_nulls(p_user, p_session, p_id, p_credential, p_client_data, p_authenticator, p_signature) = 0
    AND length(p_client_data) <= 4096 AND length(p_authenticator) BETWEEN 37 AND 4096 AND length(p_signature) <= 512);
  IF proved_at(p_user, p_session) IS NULL THEN RETURN '{"code": "auth.invalid", "details": {"reason": "revoked"}}'; END IF;
  SELECT * INTO passkey FROM passkeys WHERE credential = p_credential AND user_id = p_user FOR NO KEY UPDATE;
  SELECT * INTO asked FROM passkey_challenges
   WHERE challenge_id = p_id AND user_id = p_user AND session_id = p_session FOR UPDATE;
  IF asked.challenge_id IS NULL OR asked.expires_at <= clock_timestamp() OR asked.proved_at IS NOT NULL
    OR asked.deed->>'do' = 'register' THEN
    RETURN '{"code": "passkey.challenge_unknown", "details": {}}';
  END IF;
  IF passkey.passkey_id IS NULL
    OR NOT verify_passkey(passkey.public_key, passkey.rp_hash, asked.challenge, p_client_data, p_authenticator, p_signature) THEN
    RETURN '{"code": "passkey.refused", "details": {"reason": "signature"}}';
  END IF;
  count_ := ('x' || encode(substr(p_authenticator, 34, 4), 'hex'))::bit(32)::bigint;
  IF (count_ > 0 OR passkey.counter > 0) AND count_ <= passkey.counter THEN
    RETURN '{"code": "passkey.refused", "details": {"reason": "counter"}}';
  END IF;
  UPDATE passkeys SET counter = count_, last_used_at = clock_timestamp(), backed_up = get_byte(p_authenticator, 32) & 16 = 16
   WHERE passkey_id = passkey.passkey_id;
  UPDATE passkey_challenges SET proved_at = clock_timestamp(), expires_at = clock_timestamp() + interval '5 minutes'
   WHERE challenge_id = p_id;
  PERFORM write_audit('user:' || p_user, 'passkey.proved', p_user,
    jsonb_build_object('passkey_id', passkey.passkey_id, 'deed', asked.deed));
  RETURN NULL;
END $$;
