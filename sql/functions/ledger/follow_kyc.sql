-- Changes the tier of a person's accounts when the status of their identity check changes. It locks the accounts in the
-- order of their ids, as payments do, so each payment is decided either before or after the change. Payments decided before the
-- change stay valid: docs/decisions/0008-rolling-limits.md.
CREATE OR REPLACE FUNCTION follow_kyc() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM kyc_tiers WHERE kyc_status = NEW.kyc_status ORDER BY currency FOR SHARE;
  PERFORM FROM accounts WHERE user_id = NEW.user_id ORDER BY account_id FOR NO KEY UPDATE;
  UPDATE accounts a SET tier = k.tier FROM assets s JOIN kyc_tiers k ON k.currency = s.symbol
   WHERE a.user_id = NEW.user_id AND s.asset_id = a.asset_id AND k.kyc_status = NEW.kyc_status;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER users_tier AFTER UPDATE OF kyc_status ON users FOR EACH ROW
  WHEN (OLD.kyc_status IS DISTINCT FROM NEW.kyc_status) EXECUTE FUNCTION follow_kyc();
