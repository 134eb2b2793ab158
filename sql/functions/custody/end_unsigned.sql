-- Ends an authorization that was never signed: nobody can execute it, and from now on nobody ever will. True also when
-- there is none. False when a signature is committed: it may be in anybody's hands, and only the token can end it.
--
-- The payment and its accounts are locked by the caller, the wallet here. A signature takes the lock of the
-- authorization too: it is committed before this, or refused by `guard_signature` after.
CREATE OR REPLACE FUNCTION end_unsigned(p_authorization uuid) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  known authorizations;
BEGIN
  SELECT * INTO known FROM authorizations WHERE authorization_id = p_authorization;
  IF NOT FOUND THEN RETURN true; END IF;
  PERFORM FROM holdings WHERE asset_id = known.asset_id AND wallet_id = known.wallet_id FOR NO KEY UPDATE;
  UPDATE authorizations SET state = 'dead', reserved = 0
   WHERE authorization_id = p_authorization AND state = 'open' AND valid_before = 0;
  RETURN FOUND;
END $$;
