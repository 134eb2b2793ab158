-- Adds the approval of the operator with this database login to a payout that waits for two. The second approval starts
-- it, and from then on its rows may wait for money. PostgreSQL refuses the same person twice (`payout_approvals_pkey`),
-- everyone except named operators who may approve (`approvals_by_operators`), and approvals of a payout that does not
-- wait (`approvals_only_while_waiting`).
CREATE OR REPLACE FUNCTION approve_payout(p_payout uuid, OUT approvals integer) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  p payouts;
BEGIN
  PERFORM require_arguments('approve_payout', p_payout IS NOT NULL);
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout FOR UPDATE;
  IF p.state IS DISTINCT FROM 'approving' THEN
    RAISE EXCEPTION 'payout % waits for no approval', p_payout
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_only_while_waiting';
  END IF;
  PERFORM refuse_unnamed(session_user);
  INSERT INTO payout_approvals (payout_id, operator) VALUES (p_payout, session_user);
  approvals := count_payout_approvals(p_payout);
  IF approvals >= p.approvals_needed THEN
    UPDATE payouts SET state = 'running', waits_until = date_trunc('milliseconds', clock_timestamp()) + interval '3 days'
     WHERE payout_id = p_payout;
    PERFORM schedule_job('payout', p_payout::text, NULL);
  END IF;
  PERFORM write_audit('operator:' || session_user, 'payout.approved', p.payer_id,
    jsonb_build_object('payout_id', p_payout, 'approvals', approvals, 'needed', p.approvals_needed));
END $$;
