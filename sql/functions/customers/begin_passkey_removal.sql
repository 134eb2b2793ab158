-- An operator begins to remove the passkeys of a person who has lost them. The person is told, and can object for a day
-- (`end_passkey_removal`). Then another operator finishes it. Returns `begun`, `none` (no passkeys) or `waits` (begun before).
CREATE OR REPLACE FUNCTION begin_passkey_removal(p_user uuid, p_reason text) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  at timestamptz := date_trunc('milliseconds', clock_timestamp());
BEGIN
  PERFORM require_arguments('begin_passkey_removal', num_nulls(p_user, p_reason) = 0 AND length(p_reason) BETWEEN 1 AND 500);
  PERFORM refuse_unnamed(session_user);
  PERFORM FROM users WHERE user_id = p_user FOR NO KEY UPDATE;
  IF NOT EXISTS (SELECT FROM passkeys WHERE user_id = p_user) THEN RETURN 'none'; END IF;
  INSERT INTO passkey_removals (user_id, begun_by, reason, begun_at, due_at)
  VALUES (p_user, session_user, p_reason, at, at + interval '1 day') ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN 'waits'; END IF;
  PERFORM tell_of_passkey('operator:' || session_user, p_user, 'passkey.removal_begun', jsonb_build_object('reason', p_reason));
  RETURN 'begun';
END $$;
