-- The approvals of a payment that count. While it waits: those of people who are operators with the right to approve since
-- then. Once it is CLEARED: the last ones, because the one that is needed last clears it, and one that did not count then
-- was given before those that did.
CREATE OR REPLACE FUNCTION counted_approvals(p payments) RETURNS SETOF approvals LANGUAGE sql STABLE AS $$
  SELECT a.* FROM approvals a
    LEFT JOIN operators o ON o.name = a.operator AND o.role IN ('admin', 'risk') AND o.added_at <= a.approved_at
   WHERE a.payment_id = p.payment_id AND (o.name IS NOT NULL
      OR EXISTS (SELECT FROM payment_events e WHERE e.payment_id = p.payment_id AND e.state = 'CLEARED'))
   ORDER BY a.approved_at DESC LIMIT p.approvals_needed
$$;
