-- Which tier a status of the identity check gives, to everybody who has it: `follow_kyc_tier` changes their accounts and
-- writes the history, in the same commit. Answers `given`, `unknown tier` or `unknown status`.
CREATE OR REPLACE FUNCTION ledger_give_tier(p_status text, p_tier text, p_actor text, p_reason text) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  wanted smallint;
BEGIN
  SELECT tier INTO wanted FROM tiers WHERE name = p_tier;
  IF wanted IS NULL THEN RETURN 'unknown tier'; END IF;
  PERFORM set_config('florin.actor', p_actor, true), set_config('florin.reason', p_reason, true);
  UPDATE kyc_tiers SET tier = wanted WHERE kyc_status = p_status;
  RETURN CASE WHEN FOUND THEN 'given' ELSE 'unknown status' END;
END $$;
