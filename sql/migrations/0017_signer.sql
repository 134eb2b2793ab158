-- Why the signer has not signed a move yet, for the people who wait for it; NULL when nothing is in its way.
ALTER TABLE authorizations
  ADD COLUMN waits_for text CHECK (length(waits_for) BETWEEN 1 AND 300),
  ADD COLUMN waits_since timestamptz,
  ADD CONSTRAINT authorizations_waits_check CHECK ((waits_for IS NULL) = (waits_since IS NULL)) NOT VALID;

-- How much the signer has signed for the first time in each hour, of sends to addresses. Its own limit is counted here,
-- whatever the ledger says about the people who send.
CREATE TABLE signed_hours (
  asset_id smallint NOT NULL REFERENCES assets,
  hour     timestamptz NOT NULL,
  amount   bigint NOT NULL CHECK (amount > 0),
  PRIMARY KEY (asset_id, hour)
);
