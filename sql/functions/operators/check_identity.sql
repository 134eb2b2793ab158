-- Compares the cluster and database with those where this database was at home. A copy that was loaded elsewhere notes
-- that it is one, once, and is at home there from then on. True: it is a copy.
CREATE OR REPLACE FUNCTION check_identity() RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  here database_identity := (true, (SELECT system_identifier::text FROM pg_control_system()),
    (SELECT oid::text FROM pg_database WHERE datname = current_database()));
  home database_identity;
BEGIN
  INSERT INTO database_identity VALUES (here.*) ON CONFLICT DO NOTHING;
  IF FOUND THEN RETURN false; END IF;
  SELECT * INTO home FROM database_identity;
  IF home = here THEN RETURN false; END IF;
  UPDATE database_identity SET system_identifier = here.system_identifier, database_oid = here.database_oid
   WHERE database_identity = home;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM note_restore('this database was copied from another cluster, or from a database of another name');
  RETURN true;
END $$;
