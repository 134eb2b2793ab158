-- Makes every process forget the names and sessions that it remembers: for a database that was restored. The counters
-- jump, so that epochs of the lost time are `old` from now on and nobody takes them for another loss.
CREATE OR REPLACE FUNCTION ledger_forget_epochs() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger_state SET names_epoch = names_epoch + 1000000000, names_changed = names_epoch + 1000000000,
                          sessions_epoch = sessions_epoch + 1000000000;
END $$;
