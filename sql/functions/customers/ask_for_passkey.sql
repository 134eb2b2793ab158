-- Creates a challenge: what this person must sign with a passkey, in this session, to allow this deed. PostgreSQL draws it, so no
-- signature of another challenge fits. Deeds, with amounts in millionths as text:
--   - {"do": "register"}                                       add this passkey
--   - {"do": "add"}, {"do": "key"}                             add another one; create an account key
--   - {"do": "remove", "passkey": id}                          remove one
--   - {"do": "rule", "above": amount or null}                  change the amount
--   - {"do": "pay", "payment": id, "to": user, "amount": …}    a payment to a person
--   - {"do": "send", "payment": id, "to": …, "amount": …}      a payment to an address (`party_of_send`)
--   - {"do": "payout", "payout": id, "total": …}               a payout
--
-- Returns `challenge` (hexadecimal), `expires_at`, and `passkeys`, those that can sign; or `code`, the refusal.
CREATE OR REPLACE FUNCTION ask_for_passkey(p_user uuid, p_session uuid, p_id uuid, p_deed jsonb) RETURNS jsonb LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  most  CONSTANT integer := 20;
  at    timestamptz := date_trunc('milliseconds', clock_timestamp());
  code  text;
  asked passkey_challenges;
BEGIN
  PERFORM require_arguments('ask_for_passkey', num_nulls(p_user, p_session, p_id) = 0 AND jsonb_typeof(p_deed) = 'object'
    AND p_deed->>'do' IN ('register', 'add', 'key', 'remove', 'rule', 'pay', 'send', 'payout') AND length(p_deed::text) < 1000);
  IF (SELECT closed_at FROM users WHERE user_id = p_user FOR NO KEY UPDATE) IS NOT NULL THEN
    RETURN '{"code": "account.closed"}';
  END IF;
  IF proved_at(p_user, p_session) IS NULL THEN RETURN '{"code": "auth.invalid", "details": {"reason": "revoked"}}'; END IF;
  code := CASE WHEN p_deed->>'do' = 'register' THEN may_add_passkey(p_user, p_session)
               WHEN NOT EXISTS (SELECT FROM passkeys WHERE user_id = p_user) THEN 'passkey.none' END;
  IF code IS NOT NULL THEN RETURN jsonb_build_object('code', code); END IF;
  DELETE FROM passkey_challenges WHERE user_id = p_user AND expires_at < at - interval '1 hour';
  -- Few are open at a time; the oldest give way.
  DELETE FROM passkey_challenges WHERE challenge_id IN (
    SELECT c.challenge_id FROM passkey_challenges c WHERE c.user_id = p_user AND c.proved_at IS NULL
     ORDER BY c.created_at DESC, c.challenge_id OFFSET most - 1);
  INSERT INTO passkey_challenges (challenge_id, challenge, user_id, session_id, deed, created_at, expires_at)
  VALUES (p_id, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), p_user, p_session, p_deed, at,
          at + interval '5 minutes')
  RETURNING * INTO asked;
  RETURN jsonb_build_object('challenge', encode(asked.challenge, 'hex'), 'expires_at', asked.expires_at,
    'passkeys', (SELECT coalesce(jsonb_agg(jsonb_build_object('credential', encode(k.credential, 'hex'),
                                                              'transports', k.transports) ORDER BY k.created_at, k.passkey_id), '[]')
                   FROM passkeys k WHERE k.user_id = p_user));
END $$;
