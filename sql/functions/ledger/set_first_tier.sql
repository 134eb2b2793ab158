-- Gives a new account the tier that matches its owner's identity check and its currency, and the owner's amount for
-- passkeys. The rows of the person and of the tier are locked, because a concurrent change would not see this account.
CREATE OR REPLACE FUNCTION set_first_tier() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  status text;
  above  bigint;
BEGIN
  IF NEW.user_id IS NULL THEN
    NEW.tier := coalesce(NEW.tier, 0);
    RETURN NEW;
  END IF;
  SELECT kyc_status, passkey_above INTO status, above FROM users WHERE user_id = NEW.user_id FOR SHARE;
  IF NEW.tier IS NULL THEN
    SELECT tier INTO NEW.tier FROM kyc_tiers
     WHERE kyc_status = status AND currency = (SELECT symbol FROM assets WHERE asset_id = NEW.asset_id) FOR SHARE;
  END IF;
  NEW.paused := EXISTS (SELECT FROM pauses WHERE scope = 'user:' || NEW.user_id);
  NEW.passkey_above := above;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER accounts_first_tier BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION set_first_tier();
