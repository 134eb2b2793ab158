-- The number of approvals of a payment that count: those of operators who have had the right to approve ever since. An
-- approval no longer counts after its operator was removed or got another role, even if the operator came back.
CREATE OR REPLACE FUNCTION count_approvals(p_id uuid) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer FROM approvals a
    JOIN operators o ON o.name = a.operator AND o.role IN ('admin', 'risk') AND o.added_at <= a.approved_at
   WHERE a.payment_id = p_id
$$;
