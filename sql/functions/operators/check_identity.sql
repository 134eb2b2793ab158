-- Compares the cluster and database with those where this database was at home. A copy that was loaded elsewhere notes
-- that it is one, once, and is at home there from then on. True: it is a copy. Where the cluster does not tell who it is,
-- only an operator, a process that remembers more, or the chains can notice.
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
  -- Nothing is locked as long as it is at home: anybody who connects may ask.
  SELECT * INTO home FROM database_identity;
  IF (home.system_identifier, home.database_oid) = (cluster, database) THEN RETURN false; END IF;
  SELECT * INTO home FROM database_identity FOR UPDATE;
  IF (home.system_identifier, home.database_oid) = (cluster, database) THEN RETURN false; END IF;
  UPDATE database_identity SET system_identifier = cluster, database_oid = database;
  PERFORM write_restore('this database was copied from another cluster, or from a database of another name', NULL);
  RETURN true;
END $$;
