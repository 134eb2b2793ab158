-- Records that a username was changed or released. Processes resolve cached names again (see `ledger_state`).
CREATE OR REPLACE FUNCTION ledger_next_names_epoch() RETURNS void LANGUAGE sql AS $$
  UPDATE ledger_state SET names_epoch = names_epoch + 1, names_changed = names_epoch + 1
$$;
