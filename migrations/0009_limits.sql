-- Who may pay how much: the tier of a person follows from their identity check, always, whoever changes it. Tiers are
-- written by operators, in the room `customers`, and by nobody without a trace.

-- New accounts. The person's row is locked against a change of status meanwhile, which would not see this account.
CREATE FUNCTION set_first_tier() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  status text;
BEGIN
  IF NEW.user_id IS NULL THEN
    NEW.tier := coalesce(NEW.tier, 0);
    RETURN NEW;
  END IF;
  SELECT kyc_status INTO status FROM users WHERE user_id = NEW.user_id FOR SHARE;
  IF NEW.tier IS NULL THEN SELECT tier INTO NEW.tier FROM kyc_tiers WHERE kyc_status = status; END IF;
  NEW.paused := EXISTS (SELECT FROM pauses WHERE scope = 'user:' || NEW.user_id);
  RETURN NEW;
END $$;
ALTER TABLE accounts ALTER COLUMN tier DROP DEFAULT;
CREATE TRIGGER accounts_first_tier BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION set_first_tier();

-- A payment takes the lock of its account, and so does this: a payment is decided before the change or after it, never
-- in between. What was decided before is not undone: docs/decisions/0008-rolling-limits.md.
CREATE FUNCTION follow_kyc() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET tier = (SELECT k.tier FROM kyc_tiers k WHERE k.kyc_status = NEW.kyc_status)
   WHERE user_id = NEW.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER users_tier AFTER UPDATE OF kyc_status ON users FOR EACH ROW
  WHEN (OLD.kyc_status IS DISTINCT FROM NEW.kyc_status) EXECUTE FUNCTION follow_kyc();

-- Every change of a tier: who, when, why, from what to what. A statement typed by hand is recorded like any other.
CREATE TABLE tier_changes (
  change_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tier       smallint NOT NULL REFERENCES tiers,
  before     jsonb,
  after      jsonb NOT NULL,
  changed_by text NOT NULL,
  reason     text,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TRIGGER tier_changes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tier_changes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION record_tier() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tier_changes (tier, before, after, changed_by, reason)
  VALUES (NEW.tier, CASE WHEN TG_OP = 'UPDATE' THEN to_jsonb(OLD) END, to_jsonb(NEW),
    coalesce(nullif(current_setting('florin.actor', true), ''), current_user),
    nullif(current_setting('florin.reason', true), ''));
  RETURN NULL;
END $$;
CREATE TRIGGER tiers_recorded AFTER INSERT OR UPDATE ON tiers FOR EACH ROW EXECUTE FUNCTION record_tier();
CREATE TRIGGER tiers_stay BEFORE DELETE OR TRUNCATE ON tiers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- An ID token buys one session in production: its hash is kept for as long as anybody would take the token.
CREATE TABLE spent_id_tokens (
  hash       bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  expires_at timestamptz NOT NULL
);
CREATE INDEX spent_id_tokens_expiry ON spent_id_tokens (expires_at);

-- Who may use which command. While it is empty, whoever holds the database's password may do everything.
CREATE TABLE operators (
  name     text PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 100),
  role     text NOT NULL CHECK (role IN ('admin', 'risk', 'support')),
  added_at timestamptz NOT NULL DEFAULT now()
);
