-- Notes that this database was restored from a backup; of people, only operators who manage keys may. `p_good_until`: when
-- the caller last saw that this was no older copy; a restore that was noted since then explains what the caller sees, and is
-- not noted again. False: it was not.
CREATE OR REPLACE FUNCTION note_restore(p_reason text, p_good_until timestamptz DEFAULT NULL) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('note_restore', length(p_reason) > 0);
  PERFORM refuse_other_operators('keys');
  RETURN write_restore(p_reason, p_good_until);
END $$;
