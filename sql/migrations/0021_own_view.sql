-- What a person sees of their own money. Docs: docs/decisions/0028-own-view.md.

-- Whom a person has paid, for the list of recipients and to say "for the first time". A payment writes nothing here:
-- `note_payees` takes in what the ledger has got since the last time, when somebody asks.
CREATE TABLE payees (
  user_id    uuid NOT NULL REFERENCES users,
  -- One of the two: a person, or an address in small letters.
  person     uuid REFERENCES users,
  address    text CHECK (address ~ '^0x[0-9a-f]{40}$'),
  -- The newest payment: its place in the ledger, its time and its asset.
  last_seq   bigint NOT NULL,
  last_at    timestamptz NOT NULL,
  last_asset smallint NOT NULL REFERENCES assets,
  payments   bigint NOT NULL CHECK (payments > 0),
  CONSTRAINT payees_one_kind CHECK ((person IS NULL) <> (address IS NULL)),
  CONSTRAINT payees_other CHECK (person IS DISTINCT FROM user_id)
);
CREATE UNIQUE INDEX payees_person ON payees (user_id, person) WHERE person IS NOT NULL;
CREATE UNIQUE INDEX payees_address ON payees (user_id, address) WHERE address IS NOT NULL;
CREATE UNIQUE INDEX payees_newest ON payees (user_id, last_seq);

-- How far the rows of each account were taken in.
CREATE TABLE payee_reads (
  account_id bigint PRIMARY KEY REFERENCES accounts,
  entry      bigint NOT NULL CHECK (entry >= 0)
);
