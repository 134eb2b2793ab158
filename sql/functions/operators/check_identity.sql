-- Compares the cluster and database with those that this database remembers. If they differ, the database is a copy:
-- this is recorded once, and the new place is remembered. Returns true if it found a copy. If the cluster does not
-- reveal its identifier, only an operator, a process that remembers later commits, or the chains can detect the copy.
CREATE OR REPLACE FUNCTION check_identity() RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  cluster  text;
  database text := (SELECT oid::text FROM pg_database WHERE datname = current_database());
  home     database_identity;
BEGIN
  PERFORM require_arguments('check_identity', true);
  BEGIN
    SELECT system_identifier::text INTO cluster FROM pg_control_system();
  EXCEPTION WHEN insufficient_privilege OR undefined_function THEN
    cluster := 'unknown';
  END;
  IF NOT EXISTS (SELECT FROM database_identity) THEN
    INSERT INTO database_identity (system_identifier, database_oid) VALUES (cluster, database) ON CONFLICT DO NOTHING;
  END IF;
  -- Takes no lock in the usual case, because anyone who connects may call this.
  SELECT * INTO home FROM database_identity;
  IF (home.system_identifier, home.database_oid) = (cluster, database) THEN RETURN false; END IF;
  SELECT * INTO home FROM database_identity FOR UPDATE;
  IF (home.system_identifier, home.database_oid) = (cluster, database) THEN RETURN false; END IF;
  UPDATE database_identity SET system_identifier = cluster, database_oid = database;
  PERFORM write_restore('this database was copied from another cluster, or from a database of another name', NULL);
  RETURN true;
END $$;
