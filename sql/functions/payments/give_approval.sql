-- Adds the approval of the operator with this database login; `guard_approval` refuses an approval that would not
-- count. Returns how many count now. The last required approval makes the payment CLEARED and schedules its job.
CREATE OR REPLACE FUNCTION give_approval(p_id uuid) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  approved integer;
BEGIN
  PERFORM require_arguments('give_approval', p_id IS NOT NULL);
  INSERT INTO approvals (payment_id, operator) VALUES (p_id, session_user);
  approved := count_approvals(p_id);
  IF approved = (SELECT approvals_needed FROM payments WHERE payment_id = p_id) THEN
    PERFORM payments_advance(ARRAY[p_id], ARRAY['CLEARED'], NULL, NULL, NULL);
    -- Named as `submitJob` in server/src/payments/sends/sendCommand.ts does.
    PERFORM schedule_job('submit ' || n.blockchain, p_id::text, p.not_before)
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
       JOIN assets USING (asset_id)
       JOIN networks n USING (network_id)
      WHERE p.payment_id = p_id;
  END IF;
  RETURN approved;
END $$;
