-- A counter alone can reach the same number twice: after a failover that lost commits, or in a restored backup, other
-- changes count it up again, and a process that was idle meanwhile does not notice. An epoch is therefore a counter and
-- 64 random bits (`ledger_note_epoch` makes them), and a remembered epoch is believed only if both are the database's.
-- Docs: docs/decisions/0019-epochs.md.
ALTER TABLE ledger_state
  ADD COLUMN names_random    bigint NOT NULL DEFAULT 0,
  ADD COLUMN sessions_random bigint NOT NULL DEFAULT 0,
  -- The last counter of `names_epoch` that can make something wrong that was remembered before: a rename, a release. New
  -- names and new accounts also begin an epoch, but leave what is remembered right.
  ADD COLUMN names_changed   bigint NOT NULL DEFAULT 0;
UPDATE ledger_state SET names_changed = names_epoch,
  names_random = ('x' || left(gen_random_uuid()::text, 8) || right(gen_random_uuid()::text, 8))::bit(64)::bigint,
  sessions_random = ('x' || left(gen_random_uuid()::text, 8) || right(gen_random_uuid()::text, 8))::bit(64)::bigint;

-- The epochs that this database has been in, the last 10,000 of each kind. Whoever remembers one that is in here has
-- lost nothing of what came before it; one that should be in here and is not was lost with its commits.
CREATE TABLE epochs (
  kind     text NOT NULL CHECK (kind IN ('names', 'sessions')),
  counter  bigint NOT NULL,
  random   bigint NOT NULL,
  begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (kind, counter)
);
INSERT INTO epochs (kind, counter, random)
SELECT kind, counter, random FROM ledger_state,
  LATERAL (VALUES ('names', names_epoch, names_random), ('sessions', sessions_epoch, sessions_random))
    AS e(kind, counter, random);
