-- Providers of wallets are rows, so that no constraint and no function names one.

-- `eip3009`: wallets sign, and relayers broadcast. `provider`: the provider sends by itself. The signer registers the
-- providers of its build (`choose_wallets`); a row never changes, because moves and signatures rely on its rail.
CREATE TABLE wallet_providers (
  provider text PRIMARY KEY CHECK (provider ~ '^[a-z][a-z0-9_]{0,39}$'),
  rail     text NOT NULL CHECK (rail IN ('eip3009', 'provider'))
);
INSERT INTO wallet_providers (provider, rail)
VALUES ('local', 'eip3009'), ('circle', 'eip3009'), ('circle_send', 'provider');

-- `accounts`: by provider, the account there that has all our wallets. Our own seed has none: `fingerprint`.
ALTER TABLE wallet_seeds
  DROP CONSTRAINT wallet_seeds_wallet_provider_check,
  DROP CONSTRAINT wallet_seeds_set_check,
  ADD COLUMN accounts jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(accounts) = 'object'),
  ADD FOREIGN KEY (wallet_provider) REFERENCES wallet_providers;
UPDATE wallet_seeds SET accounts = jsonb_build_object('circle', wallet_set, 'circle_send', wallet_set)
 WHERE wallet_set IS NOT NULL;
ALTER TABLE wallet_seeds
  DROP COLUMN wallet_set,
  ADD CONSTRAINT wallet_seeds_account_check CHECK (wallet_provider = 'local' OR accounts ? wallet_provider);

-- It has other arguments now; no release has used it as it was.
DROP FUNCTION IF EXISTS choose_wallets(text, text, text, jsonb, text);

-- The public keys of webhooks, by adapter and by the id that a message names.
CREATE TABLE provider_webhook_keys (
  adapter    text NOT NULL CHECK (length(adapter) BETWEEN 1 AND 40),
  key_id     text NOT NULL CHECK (length(key_id) BETWEEN 1 AND 100),
  -- DER, SubjectPublicKeyInfo.
  public_key bytea NOT NULL CHECK (octet_length(public_key) BETWEEN 50 AND 1000),
  fetched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (adapter, key_id)
);
INSERT INTO provider_webhook_keys (adapter, key_id, public_key, fetched_at)
SELECT 'circle', key_id::text, public_key, fetched_at FROM circle_webhook_keys;
DROP TABLE circle_webhook_keys;
