-- `audit`: the ledger is not what its movements lead to.
ALTER TABLE pauses
  DROP CONSTRAINT pauses_cause_check,
  DROP CONSTRAINT pauses_stop_by_cause,
  ADD CONSTRAINT pauses_cause_check
    CHECK (cause IN ('operator', 'closed', 'drift', 'unexplained', 'contradicted', 'audit', 'reorg', 'gas')),
  ADD CONSTRAINT pauses_stop_by_cause CHECK (cause = 'operator'
    OR (stops = 'accepting and signing') = (cause IN ('drift', 'unexplained', 'contradicted', 'audit')));
