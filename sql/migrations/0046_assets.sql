-- Currencies are rows, so that no function names one and a token cannot have other decimals than its currency. A currency is
-- added by a migration, together with its tiers. `assets.symbol` is the currency of a token.
CREATE TABLE currencies (
  currency text PRIMARY KEY CHECK (currency ~ '^[A-Z][A-Z0-9.]{1,15}$'),
  decimals smallint NOT NULL CHECK (decimals BETWEEN 0 AND 18),
  -- For the foreign key of `assets`.
  UNIQUE (currency, decimals)
);
INSERT INTO currencies (currency, decimals) VALUES ('USDC', 6);
-- The default of `decimals` stays: the function with which 0.2.0 opens assets omits it.
ALTER TABLE assets ALTER COLUMN symbol DROP DEFAULT,
  ADD FOREIGN KEY (symbol, decimals) REFERENCES currencies (currency, decimals);

-- Limits are amounts of a currency, and a status of the identity check has one tier per currency.
ALTER TABLE tiers ADD COLUMN currency text NOT NULL DEFAULT 'USDC' REFERENCES currencies, ADD UNIQUE (tier, currency);
ALTER TABLE tiers ALTER COLUMN currency DROP DEFAULT;
ALTER TABLE kyc_tier_changes DROP CONSTRAINT kyc_tier_changes_kyc_status_fkey;
ALTER TABLE kyc_tiers DROP CONSTRAINT kyc_tiers_pkey, ADD COLUMN currency text NOT NULL DEFAULT 'USDC',
  ADD PRIMARY KEY (kyc_status, currency), ADD FOREIGN KEY (tier, currency) REFERENCES tiers (tier, currency);
ALTER TABLE kyc_tiers ALTER COLUMN currency DROP DEFAULT;

-- All rows of a file pay the same currency.
ALTER TABLE payouts ADD COLUMN currency text NOT NULL DEFAULT 'USDC' REFERENCES currencies;
ALTER TABLE payouts ALTER COLUMN currency DROP DEFAULT;
ALTER TYPE new_payout ADD ATTRIBUTE currency text;
-- It takes a currency now; no release has used it.
DROP FUNCTION IF EXISTS limits_left(uuid);
