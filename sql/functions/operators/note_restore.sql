-- Records that this database was restored from a backup. Operators may call it only if they manage keys. `p_good_until`
-- is the last time when the caller saw that this was not an older copy. A restore recorded after that time explains
-- what the caller sees, so it is not recorded again. Returns false if nothing was recorded.
CREATE OR REPLACE FUNCTION note_restore(p_reason text, p_good_until timestamptz DEFAULT NULL) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('note_restore', length(p_reason) > 0);
  PERFORM refuse_other_operators('keys');
  RETURN write_restore(p_reason, p_good_until);
END $$;
