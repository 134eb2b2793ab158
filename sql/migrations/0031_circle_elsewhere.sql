-- What a provider has told of coins that arrived, by its id, and what was decided about it. Each is decided once.
CREATE TABLE arrivals (
  network_id  smallint NOT NULL REFERENCES networks,
  provider_id uuid NOT NULL,
  to_address  text NOT NULL,
  -- `credited`: it is a deposit. `own`: it came from a wallet of ours, whose move says what it is. `other`: of another token,
  -- or never completed. `unowned`: to no wallet that we know, which is decided again should it become one: a database that
  -- was restored knows a new wallet only when its owner comes back.
  verdict     text NOT NULL CHECK (verdict IN ('credited', 'own', 'other', 'unowned')),
  decided_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (network_id, provider_id)
);
CREATE INDEX arrivals_unowned ON arrivals (to_address) WHERE verdict = 'unowned';

-- From when on the provider is asked for arrivals: everything that it knew before was decided. A provider may list something
-- late, so now and then it is asked for more of the past.
CREATE TABLE arrival_cursors (
  network_id     smallint PRIMARY KEY REFERENCES networks,
  since          timestamptz NOT NULL DEFAULT '2020-01-01T00:00:00Z',
  looked_back_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
