-- Accounts are locked in the order of their ids, as payments lock them. Whoever gets that status at the same moment, or
-- opens an account, holds a share of the row that was just changed: they are done, and seen here, or wait and read it.
CREATE OR REPLACE FUNCTION follow_kyc_tier() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kyc_tier_changes (kyc_status, before, after, changed_by, reason)
  VALUES (NEW.kyc_status, CASE WHEN TG_OP = 'UPDATE' THEN OLD.tier END, NEW.tier,
    coalesce(nullif(current_setting('florin.actor', true), ''), session_user),
    nullif(current_setting('florin.reason', true), ''));
  PERFORM FROM accounts a JOIN users u USING (user_id) WHERE u.kyc_status = NEW.kyc_status
    ORDER BY a.account_id FOR NO KEY UPDATE OF a;
  UPDATE accounts a SET tier = NEW.tier FROM users u
   WHERE u.user_id = a.user_id AND u.kyc_status = NEW.kyc_status AND a.tier <> NEW.tier;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER kyc_tiers_followed AFTER INSERT OR UPDATE OF tier ON kyc_tiers FOR EACH ROW
  EXECUTE FUNCTION follow_kyc_tier();
