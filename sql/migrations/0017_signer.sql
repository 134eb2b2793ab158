-- The signer is a process of its own (docs/decisions/0023-a-signer-of-its-own.md). Everything here may be used beside
-- release 0.2.0, which leaves it alone.

-- The name in the token's EIP-712 domain, which differs between networks. A worker has read it from the contract, so that
-- the signer needs no node. A wrong one only makes signatures that the token refuses.
ALTER TABLE assets ADD COLUMN token_name text CHECK (length(token_name) BETWEEN 1 AND 100);

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
