-- When a status is assigned another tier, updates all accounts with that status, in the currency of the tier. It locks
-- them in the order of their ids, as payments do. A transaction that gives a person this status, or opens an account,
-- takes a share lock on the changed row. Either that transaction has committed, and its accounts are found here, or it
-- waits and reads the new tier.
CREATE OR REPLACE FUNCTION follow_kyc_tier() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kyc_tier_changes (kyc_status, before, after, changed_by, reason)
  VALUES (NEW.kyc_status, CASE WHEN TG_OP = 'UPDATE' THEN OLD.tier END, NEW.tier,
    coalesce(nullif(current_setting('florin.actor', true), ''), session_user),
    nullif(current_setting('florin.reason', true), ''));
  PERFORM FROM accounts a JOIN users u USING (user_id) JOIN assets s USING (asset_id)
    WHERE u.kyc_status = NEW.kyc_status AND s.symbol = NEW.currency ORDER BY a.account_id FOR NO KEY UPDATE OF a;
  UPDATE accounts a SET tier = NEW.tier FROM users u, assets s
   WHERE u.user_id = a.user_id AND s.asset_id = a.asset_id AND s.symbol = NEW.currency AND u.kyc_status = NEW.kyc_status
     AND a.tier <> NEW.tier;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER kyc_tiers_followed AFTER INSERT OR UPDATE OF tier ON kyc_tiers FOR EACH ROW
  EXECUTE FUNCTION follow_kyc_tier();
