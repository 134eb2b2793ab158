-- How many approvals of a payment count: those of people who are operators with the right to approve since then. Of whoever
-- was removed or got another role nothing counts, nor of whoever came back later.
CREATE OR REPLACE FUNCTION count_approvals(p_id uuid) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer FROM approvals a
    JOIN operators o ON o.name = a.operator AND o.role IN ('admin', 'risk') AND o.added_at <= a.approved_at
   WHERE a.payment_id = p_id
$$;
