-- Whether this person has just agreed to exactly this deed with a passkey. The proof ends after five minutes, when it was used,
-- with the session in which it was given, and with a restore of the database.
CREATE OR REPLACE FUNCTION is_proved(p_user uuid, p_deed jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM passkey_challenges c JOIN sessions s USING (session_id)
     WHERE c.user_id = p_user AND c.deed = p_deed AND c.proved_at IS NOT NULL AND c.used_at IS NULL
       AND c.expires_at > clock_timestamp() AND s.ended_at IS NULL AND c.created_at >= credentials_from('sessions'))
$$;
