-- The approvals of a payment that count. While it waits, these are the approvals of operators who have had the right to
-- approve since then. Once it is CLEARED, these are the last ones: the last required approval clears the payment, and
-- approvals that did not count at that time were given before those that did.
CREATE OR REPLACE FUNCTION counted_approvals(p payments) RETURNS SETOF approvals LANGUAGE sql STABLE AS $$
  SELECT a.* FROM approvals a
    LEFT JOIN operators o ON o.name = a.operator AND o.role IN ('admin', 'risk') AND o.added_at <= a.approved_at
   WHERE a.payment_id = p.payment_id AND (o.name IS NOT NULL
      OR EXISTS (SELECT FROM payment_events e WHERE e.payment_id = p.payment_id AND e.state = 'CLEARED'))
   ORDER BY a.approved_at DESC LIMIT p.approvals_needed
$$;
