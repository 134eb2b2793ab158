-- How many approvals of a payout count: those of people who are operators with the right to approve since then. Once it
-- runs, what was counted stays counted: nobody asks again.
CREATE OR REPLACE FUNCTION count_payout_approvals(p_payout uuid) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer FROM payout_approvals a
    JOIN operators o ON o.name = a.operator AND o.role IN ('admin', 'risk') AND o.added_at <= a.approved_at
   WHERE a.payout_id = p_payout
$$;
