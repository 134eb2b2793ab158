-- Schedules a wallet for a person who does not have one. A worker asks the signer for it if the login that created the
-- person could not.
CREATE OR REPLACE FUNCTION want_wallet(p_user uuid) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('want_wallet', EXISTS (SELECT FROM users WHERE user_id = p_user));
  PERFORM schedule_job('wallet', p_user::text, now() + interval '3 seconds');
END $$;
