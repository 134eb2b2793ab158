-- Operators since 0.2.0: new actors and causes of pauses, restored databases, and the deletion of old rows.

-- The service and service keys are actors too. NOT VALID: existing rows satisfy the narrower check that this replaces.
ALTER TABLE audit_log
  DROP CONSTRAINT audit_log_actor_check,
  ADD CONSTRAINT audit_log_actor_check CHECK (actor ~ '^(user|operator|provider|service|key):.') NOT VALID;

-- `closed`: a person has closed their account. What arrives later is booked and stays there.
-- `contradicted`: the chain says the opposite of what is final here (paid although it was released, cancelled although it
-- was paid, or a credited deposit that vanished). Unlike `unexplained`, no import ends it.
-- `audit`: the ledger differs from what its movements lead to.
ALTER TABLE pauses
  DROP CONSTRAINT pauses_cause_check,
  DROP CONSTRAINT pauses_automatic_of_chain,
  DROP CONSTRAINT pauses_stop_by_cause,
  ADD CONSTRAINT pauses_cause_check
    CHECK (cause IN ('operator', 'closed', 'drift', 'unexplained', 'contradicted', 'audit', 'reorg', 'gas')),
  ADD CONSTRAINT pauses_automatic_of_chain CHECK (CASE cause
    WHEN 'operator' THEN true WHEN 'closed' THEN scope LIKE 'user:%' ELSE scope LIKE 'chain:%' END),
  ADD CONSTRAINT pauses_stop_by_cause CHECK (cause = 'operator'
    OR (stops = 'accepting and signing') = (cause IN ('drift', 'unexplained', 'contradicted', 'audit')));

-- Money that arrived after an account was closed, and waits for an operator.
CREATE VIEW closed_accounts_with_money AS
  SELECT u.user_id, u.closed_at, n.blockchain, a.available, a.held
    FROM users u JOIN accounts a USING (user_id) JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
   WHERE u.closed_at IS NOT NULL AND (a.available > 0 OR a.held > 0);

-- Every time that this database was found to be, or may be, an older copy of itself. Older credentials cannot be used
-- until an operator confirms them: a credential that was revoked after the backup is not revoked in the copy.
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

-- The PostgreSQL cluster and database that this is. A copy in another cluster, or under another name, still has the
-- identity of its original, and so notices that it is a copy.
CREATE TABLE database_identity (
  only_one          boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  system_identifier text NOT NULL,
  database_oid      text NOT NULL
);

-- Progress of deleting old rows (`forget_some`). A table is read page by page, a few pages per commit, so that it needs no
-- index by age, holds no lock for long, and continues after a restart. Docs: docs/operating/retention.md.
CREATE TABLE retention (
  what        text PRIMARY KEY CHECK (what IN ('answers', 'deliveries', 'refusals', 'sessions', 'spendings')),
  -- The page of the table where the next commit continues.
  next_page   bigint NOT NULL DEFAULT 0 CHECK (next_page >= 0),
  forgotten   bigint NOT NULL DEFAULT 0,
  finished_at timestamptz
);
INSERT INTO retention (what) VALUES ('answers'), ('deliveries'), ('refusals'), ('sessions'), ('spendings');
