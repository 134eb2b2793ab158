-- Assigns a tier to a status of the identity check, in the tier's currency. In the same commit, `follow_kyc_tier` updates
-- the accounts of everyone with that status and writes the history. Returns `given`, `unknown tier` or `unknown status`.
-- Commands of release 0.2.0 pass `p_actor`; it is ignored, and the login is recorded.
CREATE OR REPLACE FUNCTION ledger_give_tier(p_status text, p_tier text, p_actor text, p_reason text) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  wanted tiers;
BEGIN
  PERFORM require_arguments('ledger_give_tier', num_nulls(p_status, p_tier) = 0);
  PERFORM require_operator('limits');
  SELECT * INTO wanted FROM tiers WHERE name = p_tier;
  IF NOT FOUND THEN RETURN 'unknown tier'; END IF;
  PERFORM set_config('florin.actor', 'operator:' || session_user, true), set_config('florin.reason', p_reason, true);
  UPDATE kyc_tiers SET tier = wanted.tier WHERE kyc_status = p_status AND currency = wanted.currency;
  RETURN CASE WHEN FOUND THEN 'given' ELSE 'unknown status' END;
END $$;
