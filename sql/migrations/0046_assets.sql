-- All rows of a file pay the same currency.
ALTER TABLE payouts ADD COLUMN currency text NOT NULL DEFAULT 'USDC' REFERENCES currencies;
ALTER TABLE payouts ALTER COLUMN currency DROP DEFAULT;
ALTER TYPE new_payout ADD ATTRIBUTE currency text;
