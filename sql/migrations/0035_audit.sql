-- The continuous audit of the ledger (docs/decisions/0046-a-continuous-audit.md). The release before knows nothing of it.

-- What the audit has read and added up. One row; none: the audit begins anew. The sums are per asset,
-- {"asset_id": "number"}: the sum of a secret hash of every balance that the movements lead to (`books_rows`).
CREATE TABLE book_audits (
  only_one         boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  -- Counts the changes of this row: of two workers that audit at once, one is refused.
  version          bigint NOT NULL DEFAULT 0,
  seed             bigint NOT NULL,
  -- Of `ledger_state`: another one means that the database was restored, and positions mean nothing any more.
  seq_base         bigint NOT NULL,
  -- Movements up to here are in `tail_sums`.
  tail_seq         bigint NOT NULL,
  tail_sums        jsonb NOT NULL,
  -- When the balances of all accounts were last compared with them, and up to which movement.
  compared_at      timestamptz NOT NULL,
  compared_seq     bigint NOT NULL,
  -- The cycle reads all movements up to `cycle_upto` again. It has come to `cycle_seq`, has added up `cycle_sums`, and must
  -- arrive at `cycle_wanted`.
  cycle_upto       bigint NOT NULL,
  cycle_wanted     jsonb NOT NULL,
  cycle_seq        bigint NOT NULL DEFAULT -1,
  cycle_sums       jsonb NOT NULL DEFAULT '{}',
  cycle_rows       bigint NOT NULL DEFAULT 0,
  cycle_began_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The cycle before did not arrive there: this one compares every movement with the one before it, to name the fault.
  cycle_names      boolean NOT NULL DEFAULT false,
  -- Of the last cycle that has ended.
  cycle_ended_at   timestamptz,
  cycle_seconds    double precision,
  rows_total       bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- What is wrong now. A fault that is gone is deleted.
CREATE TABLE book_faults (
  asset_id   smallint NOT NULL REFERENCES assets,
  -- `account 7`, `movement <id>`, or of the whole asset `sum` or `history`.
  subject    text NOT NULL CHECK (length(subject) BETWEEN 1 AND 100),
  fault      text NOT NULL CHECK (length(fault) BETWEEN 1 AND 500),
  -- Where to look again: the account, or the movement.
  account_id bigint,
  seq        bigint,
  since      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (asset_id, subject)
);

-- `audit`: the ledger is not what its movements lead to.
ALTER TABLE pauses
  DROP CONSTRAINT pauses_cause_check,
  DROP CONSTRAINT pauses_stop_by_cause,
  ADD CONSTRAINT pauses_cause_check
    CHECK (cause IN ('operator', 'closed', 'drift', 'unexplained', 'contradicted', 'audit', 'reorg', 'gas')),
  ADD CONSTRAINT pauses_stop_by_cause CHECK (cause = 'operator'
    OR (stops = 'accepting and signing') = (cause IN ('drift', 'unexplained', 'contradicted', 'audit')));
