-- An operator ends all sessions of a person: every process refuses their tokens from then on (`note_session_change`).
-- Returns how many were open. The person can log in again; to stop payments, pause the person. It locks the accounts first:
-- a payment that has already compared its session (`ledger_pay_batch`) commits before this function does.
CREATE OR REPLACE FUNCTION end_sessions(p_user uuid, p_reason text) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ended integer;
BEGIN
  PERFORM require_arguments('end_sessions', num_nulls(p_user, p_reason) = 0);
  PERFORM require_operator('sessions');
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  -- In the order of their ids, so that two operators who do this at the same time do not deadlock.
  PERFORM FROM sessions WHERE user_id = p_user AND ended_at IS NULL AND expires_at > now() ORDER BY session_id FOR UPDATE;
  UPDATE sessions SET ended_at = now(), ended_because = 'revoked'
   WHERE user_id = p_user AND ended_at IS NULL AND expires_at > now();
  GET DIAGNOSTICS ended = ROW_COUNT;
  PERFORM write_audit('operator:' || session_user, 'sessions.ended', p_user,
    jsonb_build_object('sessions', ended, 'reason', p_reason));
  RETURN ended;
END $$;
