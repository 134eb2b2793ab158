-- Addresses that a token has ever put on its blacklist, as its logs tell. Whoever is not here needs no question to the
-- chain before a payment to them is accepted; about the others the token is asked, which may have taken them off again. So
-- an address too many costs a question, one too few a payment that the worker denies before anything is signed.
-- Docs: docs/decisions/0020-ever-blacklisted.md.
CREATE TABLE ever_blacklisted (
  asset_id smallint NOT NULL REFERENCES assets,
  address  text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  PRIMARY KEY (asset_id, address)
);

-- How far the logs were read.
CREATE TABLE blacklist_reads (
  asset_id   smallint PRIMARY KEY REFERENCES assets,
  -- The first final block that was not read yet.
  next_block bigint NOT NULL DEFAULT 0 CHECK (next_block >= 0),
  -- Whether the token was paused before that block, and whether it is at the newest.
  was_paused boolean NOT NULL DEFAULT false,
  is_paused  boolean NOT NULL DEFAULT false,
  -- When `ever_blacklisted` last had everything up to the newest block; NULL: it never had.
  read_at    timestamptz
);
