-- A session, or an access token before its time, has ended: sessions that are remembered are looked up again (see
-- `ledger_state`). Answers the new epoch.
CREATE OR REPLACE FUNCTION ledger_next_sessions_epoch() RETURNS bigint LANGUAGE sql AS $$
  UPDATE ledger_state SET sessions_epoch = sessions_epoch + 1 RETURNING sessions_epoch
$$;
