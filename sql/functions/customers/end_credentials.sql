-- Ends all sessions and account keys of a person. Every process refuses their tokens from then on (`note_session_change`),
-- and once this has committed, no payment with them is committed. Returns how many sessions were open.
--
-- Locks keys first and then the accounts: a payment that has already checked its key, or compared its session
-- (`ledger_pay_batch`), commits before this does.
CREATE OR REPLACE FUNCTION end_credentials(p_user uuid, OUT o_sessions integer, OUT o_keys integer) LANGUAGE plpgsql
  SET enable_seqscan = off SET jit = off AS $$
BEGIN
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  -- In the order of their ids, so that two who do this at the same time do not deadlock.
  PERFORM FROM sessions WHERE user_id = p_user AND ended_at IS NULL AND expires_at > now() ORDER BY session_id FOR UPDATE;
  UPDATE sessions SET ended_at = now(), ended_because = 'revoked'
   WHERE user_id = p_user AND ended_at IS NULL AND expires_at > now();
  GET DIAGNOSTICS o_sessions = ROW_COUNT;
  PERFORM FROM service_keys WHERE user_id = p_user AND revoked_at IS NULL ORDER BY key_id FOR NO KEY UPDATE;
  UPDATE service_keys SET revoked_at = now() WHERE user_id = p_user AND revoked_at IS NULL;
  GET DIAGNOSTICS o_keys = ROW_COUNT;
END $$;
