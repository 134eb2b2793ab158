-- Whether a payment still waits for its delay or for approvals. Approvals are complete once it was CLEARED, which
-- `record_state` allows only with two approvals that count. Removing an operator later does not undo this, so a cleared
-- payment can be signed again. Counting approvals here instead would count those of operators who were removed before.
CREATE OR REPLACE FUNCTION payment_waits(p payments) RETURNS boolean LANGUAGE sql AS $$
  SELECT coalesce(p.not_before > clock_timestamp(), false) OR (p.approvals_needed > 0
    AND NOT EXISTS (SELECT FROM payment_events e WHERE e.payment_id = p.payment_id AND e.state = 'CLEARED'))
$$;
