-- `closed`: a person has closed their account. What arrives later is booked, and stays where it is.
ALTER TABLE pauses
  DROP CONSTRAINT pauses_cause_check,
  DROP CONSTRAINT pauses_automatic_of_chain,
  DROP CONSTRAINT pauses_stop_by_cause,
  ADD CONSTRAINT pauses_cause_check
    CHECK (cause IN ('operator', 'closed', 'drift', 'unexplained', 'contradicted', 'reorg', 'gas')),
  ADD CONSTRAINT pauses_automatic_of_chain CHECK (CASE cause
    WHEN 'operator' THEN true WHEN 'closed' THEN scope LIKE 'user:%' ELSE scope LIKE 'chain:%' END),
  ADD CONSTRAINT pauses_stop_by_cause CHECK (cause = 'operator'
    OR (stops = 'accepting and signing') = (cause IN ('drift', 'unexplained', 'contradicted')));

-- Money on closed accounts: it arrived after the closing, and waits for an operator.
CREATE VIEW closed_accounts_with_money AS
  SELECT u.user_id, u.closed_at, n.blockchain, a.available, a.held
    FROM users u JOIN accounts a USING (user_id) JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
   WHERE u.closed_at IS NOT NULL AND (a.available > 0 OR a.held > 0);
