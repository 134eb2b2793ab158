-- Whether a payment still waits for its delay or for approvals. Approvals are enough from the moment on in which it was
-- CLEARED, which `record_state` allows only with two that count: removing an operator later takes nothing back, so
-- what was cleared can be signed again. Counting approvals here instead would count those of people who were removed before.
CREATE OR REPLACE FUNCTION payment_waits(p payments) RETURNS boolean LANGUAGE sql AS $$
  SELECT coalesce(p.not_before > clock_timestamp(), false) OR (p.approvals_needed > 0
    AND NOT EXISTS (SELECT FROM payment_events e WHERE e.payment_id = p.payment_id AND e.state = 'CLEARED'))
$$;
