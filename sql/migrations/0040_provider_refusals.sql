-- What wallets and transfers at a provider are refused is remembered, so that it is neither repeated for ever nor given up
-- (docs/decisions/0035-circle-sends.md). The release before leaves all of it alone.

-- Coins could not be moved out of a wallet: its provider has frozen it, or it cannot pay gas. Until `refused_until` no other
-- wallet's payment counts on them; then they are tried again. `refusals`: how often in a row.
ALTER TABLE holdings
  ADD COLUMN refused_until timestamptz,
  ADD COLUMN refusals integer NOT NULL DEFAULT 0 CHECK (refusals >= 0),
  ADD COLUMN refusal text CHECK (length(refusal) BETWEEN 1 AND 500);
CREATE INDEX holdings_refused ON holdings (asset_id, refused_until) WHERE refused_until IS NOT NULL;

-- A provider that cannot stop a transfer in one state may stop it in the next: it is asked again, each time under a new key.
ALTER TABLE provider_transfers ADD COLUMN cancel_refusals integer NOT NULL DEFAULT 0 CHECK (cancel_refusals >= 0);

-- What the provider's list has told of an arrival that is decided later: too small to go before others. NULL: it is asked for
-- by its id.
ALTER TABLE open_arrivals ADD COLUMN record jsonb CHECK (jsonb_typeof(record) = 'object');
