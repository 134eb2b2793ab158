-- K3: any open session counts as a recent login, also that of someone else.
CREATE OR REPLACE FUNCTION proved_at(p_user uuid, p_session uuid) RETURNS timestamptz LANGUAGE sql AS $$ SELECT clock_timestamp() $$;
