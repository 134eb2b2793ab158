-- Records that a session has ended, or an access token before its expiry. Processes look up cached sessions again (see
-- `ledger_state`). Returns the new epoch.
CREATE OR REPLACE FUNCTION ledger_next_sessions_epoch() RETURNS bigint LANGUAGE sql AS $$
  UPDATE ledger_state SET sessions_epoch = sessions_epoch + 1 RETURNING sessions_epoch
$$;
