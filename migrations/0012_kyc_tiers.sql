-- Which tier an identity check gives is an operator's decision, like the tiers themselves: it has a history, and it
-- holds for everybody with that status in the commit that changes it.

CREATE TABLE kyc_tier_changes (
  change_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kyc_status text NOT NULL REFERENCES kyc_tiers,
  before     smallint REFERENCES tiers,
  after      smallint NOT NULL REFERENCES tiers,
  changed_by text NOT NULL,
  reason     text,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TRIGGER kyc_tier_changes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON kyc_tier_changes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A status without a tier would be a person without limits.
CREATE TRIGGER kyc_tiers_stay BEFORE UPDATE OF kyc_status OR DELETE OR TRUNCATE ON kyc_tiers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Accounts are locked in the order of their ids, as payments lock them. Whoever gets that status at the same moment, or
-- opens an account, holds a share of the row that was just changed: they are done, and seen here, or wait and read it.
CREATE FUNCTION follow_kyc_tier() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kyc_tier_changes (kyc_status, before, after, changed_by, reason)
  VALUES (NEW.kyc_status, CASE WHEN TG_OP = 'UPDATE' THEN OLD.tier END, NEW.tier,
    coalesce(nullif(current_setting('florin.actor', true), ''), current_user),
    nullif(current_setting('florin.reason', true), ''));
  PERFORM FROM accounts a JOIN users u USING (user_id) WHERE u.kyc_status = NEW.kyc_status
    ORDER BY a.account_id FOR NO KEY UPDATE OF a;
  UPDATE accounts a SET tier = NEW.tier FROM users u
   WHERE u.user_id = a.user_id AND u.kyc_status = NEW.kyc_status AND a.tier <> NEW.tier;
  RETURN NULL;
END $$;
CREATE TRIGGER kyc_tiers_followed AFTER INSERT OR UPDATE OF tier ON kyc_tiers FOR EACH ROW
  EXECUTE FUNCTION follow_kyc_tier();

CREATE OR REPLACE FUNCTION set_first_tier() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  status text;
BEGIN
  IF NEW.user_id IS NULL THEN
    NEW.tier := coalesce(NEW.tier, 0);
    RETURN NEW;
  END IF;
  SELECT kyc_status INTO status FROM users WHERE user_id = NEW.user_id FOR SHARE;
  IF NEW.tier IS NULL THEN SELECT tier INTO NEW.tier FROM kyc_tiers WHERE kyc_status = status FOR SHARE; END IF;
  NEW.paused := EXISTS (SELECT FROM pauses WHERE scope = 'user:' || NEW.user_id);
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION follow_kyc() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  given smallint;
BEGIN
  SELECT tier INTO given FROM kyc_tiers WHERE kyc_status = NEW.kyc_status FOR SHARE;
  UPDATE accounts SET tier = given WHERE user_id = NEW.user_id;
  RETURN NULL;
END $$;
