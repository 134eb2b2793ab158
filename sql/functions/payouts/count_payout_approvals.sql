-- The number of approvals of a payout that count: those of operators who have had the right to approve since then. Once
-- the payout runs, its approvals are not counted again.
CREATE OR REPLACE FUNCTION count_payout_approvals(p_payout uuid) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer FROM payout_approvals a
    JOIN operators o ON o.name = a.operator AND o.role IN ('admin', 'risk') AND o.added_at <= a.approved_at
   WHERE a.payout_id = p_payout
$$;
