-- Credentials of this kind (`keys`, `sessions`) that were made before this time are not usable, because the database
-- was restored since and no operator has confirmed them. No operator can confirm other kinds, such as `account_keys`: they
-- have to be made again.
CREATE OR REPLACE FUNCTION credentials_from(p_kind text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT coalesce(max(noted_at), '-infinity') FROM restores
   WHERE CASE p_kind WHEN 'keys' THEN keys_confirmed_at WHEN 'sessions' THEN sessions_confirmed_at END IS NULL
$$;
