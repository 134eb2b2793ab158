-- What a database needs that was restored from a backup, and what operators need to set its books right.

-- Every time that this database turned out to be, or may be, an older copy of itself. Credentials that were made before
-- are not usable until an operator confirms them: what was revoked after the backup is not revoked in the copy.
CREATE TABLE restores (
  restore_id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  noted_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- How it was noticed.
  reason                text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  -- The database login that noticed it.
  noted_by              text NOT NULL DEFAULT session_user,
  keys_confirmed_at     timestamptz,
  keys_confirmed_by     text,
  sessions_confirmed_at timestamptz,
  sessions_confirmed_by text,
  CHECK ((keys_confirmed_at IS NULL) = (keys_confirmed_by IS NULL)),
  CHECK ((sessions_confirmed_at IS NULL) = (sessions_confirmed_by IS NULL))
);

-- Which PostgreSQL cluster and database this is. A copy that was loaded into another cluster, or under another name, still
-- has the identity of its original, and so notices that it is a copy.
CREATE TABLE database_identity (
  only_one          boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  system_identifier text NOT NULL,
  database_oid      text NOT NULL
);

-- `contradicted`: the chain says the opposite of what is final here (paid although it was released, cancelled although it
-- was paid, a credited deposit that vanished). Unlike `unexplained`, no import ends that.
ALTER TABLE pauses
  DROP CONSTRAINT pauses_cause_check,
  DROP CONSTRAINT pauses_stop_by_cause,
  ADD CONSTRAINT pauses_cause_check
    CHECK (cause IN ('operator', 'drift', 'unexplained', 'contradicted', 'reorg', 'gas')),
  ADD CONSTRAINT pauses_stop_by_cause CHECK (cause = 'operator'
    OR (stops = 'accepting and signing') = (cause IN ('drift', 'unexplained', 'contradicted')));
