-- Makes every process discard its cached names and sessions after a restore. The counters jump, so that epochs from the
-- lost period count as `old` and not as another loss.
CREATE OR REPLACE FUNCTION ledger_forget_epochs() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger_state SET names_epoch = names_epoch + 1000000000, names_changed = names_epoch + 1000000000,
                          sessions_epoch = sessions_epoch + 1000000000;
END $$;
