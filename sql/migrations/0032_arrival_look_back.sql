-- Reading what has arrived on chains that nobody of ours reads goes on where the last turn stopped, however long the
-- provider's list is, and what was listed is asked for until the provider has told all of it
-- (docs/decisions/0040-solana-and-aptos.md).

ALTER TABLE arrival_cursors
  -- While a list is being read: the last one that was read, and the newest time so far. NULL: the next turn begins at `since`.
  ADD COLUMN page_after uuid,
  ADD COLUMN reached timestamptz,
  -- While more of the past is looked at: from when on, and the last one that was read.
  ADD COLUMN back_since timestamptz,
  ADD COLUMN back_after uuid,
  ADD CONSTRAINT arrival_cursors_page CHECK ((page_after IS NULL) = (reached IS NULL)),
  ADD CONSTRAINT arrival_cursors_back CHECK (back_after IS NULL OR back_since IS NOT NULL);

-- Listed by the provider and not decided yet: each is asked for by its id when it is due, ever less often.
CREATE TABLE open_arrivals (
  network_id  smallint NOT NULL REFERENCES networks,
  provider_id uuid NOT NULL,
  listed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  due_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (network_id, provider_id)
);
CREATE INDEX open_arrivals_due ON open_arrivals (network_id, due_at);
