-- Adds a row for every change of a tier: who, when, why, old and new values. Changes made by hand are recorded too.
CREATE OR REPLACE FUNCTION record_tier() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tier_changes (tier, before, after, changed_by, reason)
  VALUES (NEW.tier, CASE WHEN TG_OP = 'UPDATE' THEN to_jsonb(OLD) END, to_jsonb(NEW),
    coalesce(nullif(current_setting('florin.actor', true), ''), session_user),
    nullif(current_setting('florin.reason', true), ''));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER tiers_recorded AFTER INSERT OR UPDATE ON tiers FOR EACH ROW EXECUTE FUNCTION record_tier();
